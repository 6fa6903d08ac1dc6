import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ed25519 } from '@noble/curves/ed25519.js';
import { ed25519Credential, memoryStorage, recoveryCredential, Wallet } from '@streaming-yao/client';
import { fromHex, SecretBytes, toHex } from '@streaming-yao/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../../tools/stack.ts';
import { group } from '../stack/device.ts';

/** A deployment's storage and a device's records, as an earlier version of all roles left them. */
interface Snapshot {
  readonly walletId: string;
  readonly publicKey: string;
  readonly phrase: string;
  /** Hex, by name. */
  readonly device: Readonly<Record<string, string>>;
  /** Base64, by path. */
  readonly files: Readonly<Record<string, string>>;
}

let stack: Stack;
let snapshot: Snapshot;

beforeAll(async () => {
  const packed = await readFile(path.join(import.meta.dirname, 'fixtures', 'previous-version.json.gz'));
  snapshot = JSON.parse(gunzipSync(packed).toString()) as Snapshot;
  const folder = await mkdtemp(path.join(tmpdir(), 'elder-'));
  for (const [name, content] of Object.entries(snapshot.files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, Buffer.from(content, 'base64'));
  }
  stack = await startStack({ folder, endOnSignal: false });
});

afterAll(async () => {
  await stack?.stop();
  if (stack) await rm(stack.folder, { recursive: true, force: true });
});

test('the trail of the previous version is kept, and its table takes receipts now', async () => {
  const rows = await stack.roles.router.query('SELECT event, outcome, receipt FROM audit ORDER BY id');
  expect(rows).toEqual([
    { event: 'register', outcome: 'ok', receipt: null },
    { event: 'refresh', outcome: 'ok', receipt: null },
  ]);
  const applied = await stack.roles.router.query('SELECT name FROM d1_migrations ORDER BY id');
  expect(applied.map(({ name }) => name)).toEqual(['0001_audit.sql', '0002_audit_receipt.sql']);
});

test('what a device of the previous version was in the midst of is forgotten, and nothing else', async () => {
  const storage = memoryStorage();
  const { walletId } = snapshot;
  for (const [name, hex] of Object.entries(snapshot.device)) await storage.set(name, SecretBytes.own(fromHex(hex)));
  await storage.set(`pending/${walletId}/0`, SecretBytes.own(new Uint8Array(900)));
  const credential = ed25519Credential(group, SecretBytes.own(new Uint8Array(32).fill(5)), 'device', 'elder device');
  const wallet = new Wallet({ router: stack.routerUrl, pins: stack.pins, walletId, group, storage, credential });
  expect(await wallet.resume()).toBe(false);
  expect(await storage.names('')).toEqual(Object.keys(snapshot.device));
  expect((await wallet.status())?.publicKey).toEqual(fromHex(snapshot.publicKey));
});

test('a device of the previous version signs, refreshes and exports on the roles’ storage of the previous version', async () => {
  const storage = memoryStorage();
  for (const [name, hex] of Object.entries(snapshot.device)) await storage.set(name, SecretBytes.own(fromHex(hex)));
  const credential = ed25519Credential(group, SecretBytes.own(new Uint8Array(32).fill(5)), 'device', 'elder device');
  const place = { router: stack.routerUrl, pins: stack.pins, walletId: snapshot.walletId, group };
  const wallet = new Wallet({ ...place, storage, credential });
  const publicKey = fromHex(snapshot.publicKey);
  const message = new Uint8Array([1, 2, 3]);
  expect(ed25519.verify((await wallet.sign(message)).signature, message, publicKey)).toBe(true);
  expect(toHex((await wallet.refresh()).publicKey)).toBe(snapshot.publicKey);
  expect((await wallet.lanes()).lanes).toMatchObject([{ lane: 1, epoch: 3 }]);
  const { key } = await wallet.exportKey({ format: 'seed-hex' });
  expect(toHex(ed25519.getPublicKey(fromHex(String(key))))).toBe(snapshot.publicKey);

  const other = new Wallet({ ...place, storage: memoryStorage(), credential: recoveryCredential(group, snapshot.phrase) });
  expect(toHex((await other.recover()).publicKey)).toBe(snapshot.publicKey);
  const signed = async () => {
    const rows = await stack.roles.router.query(
      "SELECT receipt IS NOT NULL AS signed FROM audit WHERE outcome = 'ok' AND ceremony_id IS NOT NULL ORDER BY id",
    );
    return rows.map((row) => row.signed);
  };
  await expect.poll(signed).toEqual([0, 0, 1, 1, 1]);
});
