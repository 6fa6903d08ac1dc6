import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ed25519 } from '@noble/curves/ed25519.js';
import { confirmLane } from '@streaming-yao/ceremony/client';
import { memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { decodeLane, laneName } from '@streaming-yao/client/lane-record';
import { type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import { CommitmentPool, clientSign } from '@streaming-yao/signing';
import {
  Authority,
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  Receipt,
  RevokeRequest,
  RevokeStatement,
  SignAnswer,
  SignRequest,
} from '@streaming-yao/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../tools/processes.ts';
import { authorizedRequest } from './ceremonies.ts';
import { group, newCredential, outcomeOf, random, secret, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { StolenRouter } from './stolen-router.ts';
import { filesOf, recordsOf } from './storage.ts';

const shared = sharedStack({ settings: { stagedLaneMs: 6_000 } });
let router: StolenRouter;
beforeAll(async () => {
  router = await StolenRouter.of(shared.stack);
});

const MESSAGE = new TextEncoder().encode('a transaction');

async function laneOf({ storage, walletId }: TestDevice) {
  using record = (await storage.get(laneName(walletId, 0))) as SecretBytes;
  return decodeLane(record);
}

test('a signing request for another epoch is refused before any nonce is used', async () => {
  const device = new TestDevice(shared.stack);
  await device.wallet.register();
  await device.wallet.refresh();
  const { walletId, keyIndex, lane, epoch, publicKey, share, laneSeed } = await laneOf(device);
  const name = { walletId, keyIndex, lane, epoch };
  const statement = { lane: name, count: 1, issuedAtMs: Date.now(), nonce: random(32) };
  const signature = laneSeed.use((seed) => ed25519.sign(PrepareStatement.encode(statement), seed));
  const prepared = await device.router('/router-ab/ed25519/sign/prepare', PrepareRequest.toJson({ statement, signature }));
  const pool = new CommitmentPool(group, name);
  for (const presign of PrepareAnswer.fromJson(prepared).presigns) pool.takeIn(presign, Date.now());
  const workerCommitments = pool.take(Date.now());
  if (!workerCommitments) throw new Error('no presign');
  const part = clientSign({ group, share, groupPublicKey: publicKey, workerCommitments, message: MESSAGE, random });
  const sign = (named: number): Promise<unknown> =>
    device.router(
      '/router-ab/ed25519/sign',
      SignRequest.toJson({
        lane: { ...name, epoch: named },
        ...part,
        message: MESSAGE,
        preimage: null,
        session: null,
        wanted: 0,
        expiresAtMs: Date.now() + 10_000,
      }),
    );
  expect(await outcomeOf(sign(epoch - 1))).toBe('epoch_retired');
  expect(await outcomeOf(sign(epoch + 1))).toBe('epoch_mismatch');
  const answer = SignAnswer.fromJson(await sign(epoch));
  expect(ed25519.verify(answer.signature, MESSAGE, publicKey)).toBe(true);
});

test('the roles themselves refuse a removed credential', async () => {
  const device = new TestDevice(shared.stack);
  await device.wallet.register();
  const removed = newCredential('removed');
  await device.wallet.addCredential(removed);
  await device.wallet.removeCredential(removed.id);
  const { authority } = await device.wallet.lanes();
  expect([authority.version, authority.credentials.length]).toEqual([3, 1]);
  const holder = new TestDevice(shared.stack, { walletId: device.walletId, credential: removed });
  const request = await authorizedRequest({ device: holder, root: secret(), lane: await laneOf(device) }, 'export', {
    authority,
  });
  for (const role of ['deriver-a', 'deriver-b'] as const) {
    expect([role, await outcomeOf(router.relay(role, { request }))]).toEqual([role, 'authorization_invalid']);
  }
  const statement = {
    deployment: authority.deployment,
    ...{ walletId: device.walletId, keyIndex: 0, lane: 1, issuedAtMs: Date.now(), nonce: random(32) },
  };
  const { proofs } = await removed.prove([RevokeStatement.encode(statement)]);
  const revocation = RevokeRequest.toJson({ statement, proof: proofs[0] as (typeof proofs)[number] });
  expect(await outcomeOf(router.call('signing-worker', '/lanes/revoke', revocation))).toBe('authorization_invalid');
  expect(Authority.digest(authority)).toEqual(Authority.digest((await device.wallet.lanes()).authority));
});

test('the statement that a first lane is active is kept as long as its request may come again', async () => {
  const { answer } = await new TestDevice(shared.stack).wallet.register();
  const { core } = Receipt.decode(answer.receipt.payload);
  const records = await recordsOf(shared.stack, 'signing-worker');
  const statement = records.find(({ table, key }) => table === 'activation' && key.startsWith(toHex(answer.ceremonyId)));
  expect(statement?.deleteAtMs).toBeGreaterThan(core.expiresAtMs);
});

describe('an old share', () => {
  /** The sealed shares that a wallet's vault slots hold now: what a thief of the disk would want. */
  async function sealedShares(): Promise<readonly string[]> {
    const place = path.join(shared.stack.folder, 'signing-worker', 'objects', 'signing-worker-VaultSlot');
    const slots = (await readdir(place)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    return slots.flatMap((name) => {
      const database = new DatabaseSync(path.join(place, name), { readOnly: true, timeout: 5_000 });
      try {
        const stored = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'").get();
        const rows = stored ? database.prepare("SELECT value FROM _cf_KV WHERE key = 'sealed'").all() : [];
        // Nonce, ciphertext and tag at the end of the platform's own envelope.
        return rows.map(({ value }) => Buffer.from((value as Uint8Array).slice(-60)).toString('hex'));
      } finally {
        database.close();
      }
    });
  }

  async function onDisk(sealed: string): Promise<readonly string[]> {
    const files = await filesOf(shared.stack, 'signing-worker');
    return files.filter(({ bytes }) => Buffer.from(bytes).includes(Buffer.from(sealed, 'hex'))).map(({ name }) => name);
  }

  const added = (before: readonly string[], after: readonly string[]): string => {
    const [one, ...others] = after.filter((sealed) => !before.includes(sealed));
    if (one === undefined || others.length > 0) throw new Error('expected one new share');
    return one;
  };

  async function expectErased(sealed: string): Promise<void> {
    await until('erasure of a share', async () => ((await onDisk(sealed)).length === 0 ? true : undefined));
  }

  test('is found nowhere after a refresh, write-ahead logs included', async () => {
    const before = await sealedShares();
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const first = added(before, await sealedShares());
    expect((await onDisk(first)).length).toBeGreaterThan(0);
    await device.wallet.refresh();
    await expectErased(first);
    const second = added(before, await sealedShares());
    expect(second).not.toBe(first);
    await device.wallet.revokeLane(1);
    await expectErased(second);
  });

  test('is found nowhere after a recovery that retires its lane', async () => {
    const before = await sealedShares();
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const first = added(before, await sealedShares());
    const { walletId, credential } = device;
    await new TestDevice(shared.stack, { walletId, credential }).wallet.recover();
    await expectErased(first);
  });
});

describe('a staged share', () => {
  /** A device whose confirmation does not reach the Router. */
  const unconfirming =
    (connection: RouterConnection): RouterConnection =>
    (route, body) =>
      route === '/v1/lanes/confirm' ? Promise.reject(new Error('no network')) : connection(route, body);

  async function staged() {
    const storage = memoryStorage();
    const device = new TestDevice(shared.stack, { storage });
    const { publicKey } = await device.wallet.register();
    const { walletId, credential } = device;
    const offline = new TestDevice(shared.stack, { storage, walletId, credential, router: unconfirming(device.router) });
    await expect(offline.wallet.refresh()).rejects.toThrow('no network');
    return { storage, walletId, credential, publicKey };
  }

  /** Until no record of a table speaks of `name` any more. */
  const untilForgotten = (table: string, name: string): Promise<true> =>
    until(`deletion from ${table}`, async () => {
      const records = (await recordsOf(shared.stack, 'signing-worker')).filter((record) => record.table === table);
      return records.some(({ key, value }) => key.includes(name) || Buffer.from(value).includes(name)) ? undefined : true;
    });

  test('waits for its device, and the old one signs till then', async () => {
    const { publicKey, ...parts } = await staged();
    const device = new TestDevice(shared.stack, parts);
    const { signature } = await device.wallet.sign(MESSAGE);
    expect(ed25519.verify(signature, MESSAGE, publicKey)).toBe(true);
    expect(await device.wallet.status()).toMatchObject({ epoch: 1 });
    expect(await device.wallet.resume()).toBe(true);
    expect(await device.wallet.status()).toMatchObject({ epoch: 2 });
    await device.wallet.sign(MESSAGE);
  });

  test('keeps others from the lane until it expires; then the old one still signs and may be refreshed', async () => {
    const { publicKey, ...parts } = await staged();
    const other = new TestDevice(shared.stack, { ...parts, storage: memoryStorage() });
    using record = await parts.storage.get(laneName(parts.walletId, 0));
    await other.storage.set(laneName(parts.walletId, 0), record);
    expect(await outcomeOf(other.wallet.refresh())).toBe('epoch_conflict');
    await untilForgotten('staged', '');
    const device = new TestDevice(shared.stack, parts);
    expect(await device.wallet.resume()).toBe(false);
    await device.wallet.sign(MESSAGE);
    expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
  });

  test('goes on the SigningWorker’s word only, given for this very confirmation', async () => {
    /** The SigningWorker is asked, and the device gets `answer` to what it said. */
    const between =
      (answer: (honest: unknown) => unknown) =>
      (connection: RouterConnection): RouterConnection =>
      async (route, body) => {
        const honest = await connection(route, body);
        return route === '/v1/lanes/confirm' ? answer(honest) : honest;
      };
    type Parts = Omit<Awaited<ReturnType<typeof staged>>, 'publicKey'>;
    const resumed = ({ storage, walletId, credential }: Parts, answer: (honest: unknown) => unknown): Promise<string> => {
      const parts = { storage, walletId, credential };
      const { router } = new TestDevice(shared.stack, parts);
      return outcomeOf(new TestDevice(shared.stack, { ...parts, router: between(answer)(router) }).wallet.resume());
    };
    const expired = await staged();
    await untilForgotten('staged', '');
    let refusal: unknown;
    await resumed(expired, (honest) => {
      refusal = honest;
      return honest;
    });
    expect(refusal).toMatchObject({ outcome: { state: 'gone' } });

    const { publicKey, ...parts } = await staged();
    const lie = (): never => {
      throw new YaoError('ceremony_unknown', 'no share of this ceremony waits here');
    };
    expect(await resumed(parts, lie)).toBe('ceremony_unknown');
    expect(await resumed(parts, () => refusal)).toBe('receipt_invalid');
    const device = new TestDevice(shared.stack, parts);
    expect(await device.wallet.resume()).toBe(true);
    expect(await device.wallet.status()).toMatchObject({ epoch: 2 });
    const { signature } = await device.wallet.sign(MESSAGE);
    expect(ed25519.verify(signature, MESSAGE, publicKey)).toBe(true);
  });

  test('that was confirmed is confirmed again, also when nobody remembers the first time', async () => {
    const { publicKey: _, ...parts } = await staged();
    const device = new TestDevice(shared.stack, parts);
    await device.wallet.resume();
    const lane = await laneOf(device);
    await device.run(confirmLane(device.surroundings, lane));
    await untilForgotten('activation', toHex(lane.ceremonyId));
    await device.run(confirmLane(device.surroundings, lane));
    expect(toHex(lane.publicKey)).toBe(toHex(await device.wallet.publicKey()));
  });
});
