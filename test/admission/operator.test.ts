import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { connectRouter } from '@streaming-yao/client';
import { toBase64Url, toHex } from '@streaming-yao/core';
import { DeleteRequest, DeleteStatement, pinnedKey, Receipt, ROLES, type Role } from '@streaming-yao/wire';
import { compactVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { deleteWallet, type Operator, readOperatorKey } from '../../tools/yao-admin/operator.ts';
import { random, TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { outcomes } from './asking.ts';

const running = sharedStack({ settings: { retentionMs: 600_000 } });
const keysFolder = (): string => path.join(running.stack.folder, 'keys');
const operator = async (): Promise<Operator> => ({
  ...(await readOperatorKey(keysFolder())),
  router: connectRouter(running.stack.routerUrl),
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as an operator does. */
async function yaoAdmin(...args: readonly string[]): Promise<Ran> {
  const command = ['tools/yao-admin.ts', ...args, '--keys', keysFolder()];
  return promisify(execFile)(process.execPath, command, { cwd: path.join(import.meta.dirname, '..', '..') }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
  );
}

/** Everything in a role's databases that names a wallet or holds one of `traces`, as `table: row`. */
async function found(role: Role, traces: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const folder = path.join(running.stack.folder, role);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sqlite'));
  const needles = traces.flatMap((trace) => (typeof trace === 'string' ? [trace] : [toHex(trace), toBase64Url(trace)]));
  const hits: string[] = [];
  for (const file of files) {
    using database = opened(path.join(folder, file));
    const tables = database.db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    for (const { name } of tables) {
      if (name.startsWith('sqlite_')) continue;
      const rows = database.db.prepare(`SELECT * FROM "${name}"`);
      rows.setReadBigInts(true);
      for (const row of rows.all()) {
        const texts = Object.values(row).flatMap(textsOf);
        if (texts.some((text) => needles.some((needle) => text.includes(needle)))) hits.push(`${path.basename(file)} ${name}`);
      }
    }
  }
  return hits;
}

const textsOf = (value: unknown): readonly string[] =>
  value instanceof Uint8Array ? [toHex(value), Buffer.from(value).toString('latin1')] : [String(value)];

function opened(file: string): Disposable & { readonly db: DatabaseSync } {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  return { db, [Symbol.dispose]: () => db.close() };
}

async function livedWallet(): Promise<{ readonly device: TestDevice; readonly publicKey: Uint8Array }> {
  const device = new TestDevice(running.stack);
  const { publicKey } = await device.wallet.register();
  await device.wallet.sign(new Uint8Array(4));
  await device.wallet.refresh();
  await device.wallet.exportKey({ format: 'seed-hex' });
  return { device, publicKey };
}

describe('the audit trail', () => {
  test('leaves as JSON lines, oldest first, with receipts that anybody can verify', async () => {
    const { device, publicKey } = await livedWallet();
    await outcomes([device.wallet.register()]);
    const { code, stdout } = await yaoAdmin('audit', device.walletId);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [signatures, ceremonies] = [true, false].map((signs) => lines.filter(({ event }) => (event === 'sign') === signs));
    expect(signatures).toMatchObject([{ outcome: 'ok', ceremonyId: null, receipt: null }]);
    expect(ceremonies?.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual([
      'register ok',
      'refresh ok',
      'export ok',
      'register key_exists',
    ]);
    expect(lines.every(({ walletId }) => walletId === device.walletId)).toBe(true);
    for (const { outcome, receipt, ceremonyId } of ceremonies ?? []) {
      if (outcome !== 'ok') {
        expect(receipt).toBeNull();
        continue;
      }
      const stated = Receipt.decode(Uint8Array.from(Buffer.from(receipt.payload, 'base64url')));
      expect([toHex(stated.ceremonyId), toHex(stated.publicKey)]).toEqual([ceremonyId, toHex(publicKey)]);
      for (const [i, role] of (['deriver-a', 'deriver-b'] as const).entries()) {
        const { protected: header, signature } = receipt.signatures[i];
        const key = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(pinnedKey(running.stack.pins, role)) };
        await expect(compactVerify(`${header}.${receipt.payload}.${signature}`, key)).resolves.toBeDefined();
      }
    }
    expect(JSON.stringify(lines)).not.toMatch(/seed|share|secret/);
  });

  test('goes to a file, in pages, and is empty for a wallet that is not there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'trail-'));
    const file = path.join(folder, 'trail.jsonl');
    const events = "SELECT value, 'paged', 'register', NULL, 'busy' FROM generated WHERE value <= 120";
    await running.stack.roles.router.query(
      `WITH RECURSIVE generated(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM generated LIMIT 121)
       INSERT INTO audit (at_ms, wallet_id, event, ceremony_id, outcome) ${events}`,
    );
    expect((await yaoAdmin('audit', 'paged', '--out', file)).code).toBe(0);
    const ids = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id as number);
    expect(ids).toHaveLength(120);
    expect(ids).toEqual(ids.toSorted((left, right) => left - right));
    expect(await yaoAdmin('audit', 'nobody')).toMatchObject({ code: 0, stdout: '' });
    await rm(folder, { recursive: true });
  });
});

describe('delete-wallet', () => {
  test('leaves nothing of a wallet at any role, and all of the others', async () => {
    const [{ device, publicKey }, other] = [await livedWallet(), await livedWallet()];
    const traces = [device.walletId, publicKey];
    for (const role of ROLES) expect([role, (await found(role, traces)).length > 0]).toEqual([role, true]);

    expect((await yaoAdmin('delete-wallet', device.walletId)).code).toBe(2);
    const { code, stdout } = await yaoAdmin('delete-wallet', device.walletId, '--yes', '--json');
    expect(code).toBe(0);
    const { deletions } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(deletions.map(({ role, left }: { role: string; left: number }) => `${role} ${left}`)).toEqual(
      ROLES.map((role) => `${role} 0`),
    );
    expect(deletions.every(({ deleted }: { deleted: number }) => deleted > 0)).toBe(true);

    for (const role of ROLES) expect([role, await found(role, traces)]).toEqual([role, []]);
    expect(await outcomes([device.wallet.sign(new Uint8Array(1))])).not.toHaveProperty('done');
    expect(await outcomes([other.device.wallet.sign(new Uint8Array(1))])).toEqual({ done: 1 });
    expect(await outcomes([other.device.wallet.refresh()])).toEqual({ done: 1 });
    for (const role of ROLES) expect([role, (await found(role, [other.device.walletId])).length > 0]).toEqual([role, true]);
    // Nothing is left that could tell whose name it was: it may be taken again.
    const heir = new TestDevice(running.stack, { walletId: device.walletId });
    expect(toHex((await heir.wallet.register()).publicKey)).not.toBe(toHex(publicKey));
    // A repetition finds nothing, and is no error.
    expect((await deleteWallet(await operator(), 'nobody')).map(({ deleted }) => deleted)).toEqual([0, 0, 0, 0]);
  });

  test('takes the operator’s signature at every role, not the Router’s word', async () => {
    const { device } = await livedWallet();
    const { pins } = running.stack;
    const statement = {
      ...{ deployment: pins.deployment, walletId: device.walletId, nonce: random(32) },
      issuedAtMs: Date.now(),
    };
    const forged = ed25519.sign(DeleteStatement.encode(statement), random(32));
    const router = connectRouter(running.stack.routerUrl);
    const ask = (change: object) =>
      outcomes([
        router('/v1/operator/delete', { ...(DeleteRequest.toJson({ statement, signature: forged }) as object), ...change }),
      ]);
    expect(await ask({})).toEqual({ authorization_invalid: 1 });
    const { key } = await operator();
    const signed = (changes: Partial<typeof statement>) => {
      const changed = { ...statement, ...changes };
      const signature = key.use((seed) => ed25519.sign(DeleteStatement.encode(changed), seed));
      return DeleteRequest.toJson({ statement: changed, signature }) as object;
    };
    expect(await ask(signed({ issuedAtMs: Date.now() - 3_600_000 }))).toEqual({ request_expired: 1 });
    expect(await ask(signed({ deployment: 'other' }))).toEqual({ request_mismatch: 1 });
    const other = signed({ walletId: 'another' }) as { signature: string };
    expect(await ask({ signature: other.signature })).toEqual({ authorization_invalid: 1 });
    expect(await outcomes([device.wallet.sign(new Uint8Array(1))])).toEqual({ done: 1 });
  });

  test('believes no role that admits or forges something', async () => {
    const { key, pins } = await operator();
    const honest = connectRouter(running.stack.routerUrl);
    const answering = (
      change: (deletions: { statement: { left: number; role: string }; signature: string }[]) => void,
    ): Operator => ({
      ...{ key, pins },
      router: async (route, body) => {
        const answer = structuredClone(await honest(route, body)) as { deletions: Parameters<typeof change>[0] };
        change(answer.deletions);
        return answer;
      },
    });
    for (const change of [
      (deletions) => Object.assign(deletions[0]?.statement ?? {}, { left: 1 }),
      (deletions) => Object.assign(deletions[1]?.statement ?? {}, { role: 'router' }),
      (deletions) => Object.assign(deletions[2] ?? {}, { signature: deletions[3]?.signature }),
    ] satisfies readonly Parameters<typeof answering>[0][]) {
      await expect(deleteWallet(answering(change), 'nobody')).rejects.toMatchObject({ code: 'receipt_invalid' });
    }
  });
});

test('the command line says what is wrong', async () => {
  expect(await yaoAdmin()).toMatchObject({ code: 2, stderr: expect.stringContaining('name a command') });
  expect(await yaoAdmin('forget', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('no command forget') });
  expect(await yaoAdmin('audit')).toMatchObject({ code: 2, stderr: expect.stringContaining('one wallet') });
  expect(await yaoAdmin('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('delete-wallet') });
  expect(await yaoAdmin('audit', 'x', '--router', 'http://127.0.0.1:1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('peer_failed'),
  });
});
