import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { errorFromBody } from '@streaming-yao/core';
import { CeremonyAnswer, CeremonyRequest, DeploymentFacts, type Role } from '@streaming-yao/wire';
import { HpkePrivateKeys, parseSecret } from '@streaming-yao/workers/secret';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../tools/bundle.ts';
import { readSecrets } from '../../tools/keys.ts';
import { type Stack, startStack } from '../../tools/stack.ts';
import { authorizedRequest, registerKey } from './ceremonies.ts';
import { outcomeOf, TestDevice } from './device.ts';

let folder: string;
let stack: Stack;

/** On the port that its clients know. */
const startAgain = async (): Promise<void> => {
  stack = await startStack({ folder, endOnSignal: false, port: Number(new URL(stack.routerUrl).port) });
};
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-operations-'));
  stack = await startStack({ folder, endOnSignal: false });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const MESSAGE = new Uint8Array(32).fill(7);

async function keyIds(): Promise<readonly string[]> {
  const response = await fetch(`${stack.routerUrl}/.well-known/streaming-yao`);
  return DeploymentFacts.fromJson(await response.json()).keys.map(({ statement }) => statement.keyId);
}

/** @returns what npm run keygen says */
function rotateHpke(): string {
  const args = ['tools/keygen.ts', '--rotate-hpke', '--folder', path.join(folder, 'keys')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('HPKE keys are rotated without losing a wallet, nor a request that was sealed before', async () => {
  const { wallet } = new TestDevice(stack);
  const { publicKey } = await wallet.register();
  const sealedBefore = await authorizedRequest(await registerKey(new TestDevice(stack)), 'refresh');
  const before = await keyIds();
  await stack.stop();
  expect(rotateHpke()).toContain('deriver-a, deriver-b, signing-worker');
  await startAgain();

  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(CeremonyRequest.toJson(sealedBefore));
  const response = await fetch(`${stack.routerUrl}/v1/ceremonies`, { method: 'POST', headers, body });
  const answer: unknown = await response.json();
  if (!response.ok) throw errorFromBody(answer, 'router');
  expect(CeremonyAnswer.fromJson(answer).activation).not.toBeNull();

  await wallet.refresh();
  expect(await wallet.publicKey()).toEqual(publicKey);
  await wallet.sign(MESSAGE);
  const after = await keyIds();
  expect([after.length, before.filter((id) => after.includes(id))]).toEqual([6, before]);

  rotateHpke();
  for (const role of ['deriver-a', 'deriver-b', 'signing-worker'] as const) {
    const { HPKE_KEYS } = await readSecrets(path.join(folder, 'keys'), role);
    const kept = parseSecret(role, 'hpke-keys', HPKE_KEYS)
      .use(HpkePrivateKeys.decode)
      .keys.map(({ keyId }) => keyId);
    expect(kept.map((id) => [before.includes(id), after.includes(id)])).toEqual([
      [false, false],
      [false, true],
    ]);
  }
});

const whileDown = async (role: Role, act: (objects: string) => Promise<void>): Promise<void> => {
  await stack.roles[role].down();
  await act(path.join(folder, role, 'objects'));
  await stack.roles[role].up();
};

test.each(['deriver-a', 'deriver-b'] as const)(
  'without the records of %s wallets sign, and all else waits for them to come back',
  async (role) => {
    const device = new TestDevice(stack);
    const { wallet } = device;
    await wallet.register();
    await wallet.refresh();
    const backup = path.join(folder, `records of ${role}`);
    await whileDown(role, (objects) => rename(objects, backup));
    await wallet.sign(MESSAGE);
    const exported = () => wallet.exportKey({ format: 'seed-hex' });
    expect([await outcomeOf(wallet.refresh()), await outcomeOf(exported())]).toEqual(['unknown_wallet', 'unknown_wallet']);
    await whileDown(role, async (objects) => {
      await rm(objects, { recursive: true });
      await rename(backup, objects);
    });
    await wallet.refresh();
    await exported();
  },
);

test('a Router that has lost its records learns from the others: devices sign and refresh', async () => {
  const { wallet } = new TestDevice(stack);
  await wallet.register();
  await wallet.refresh();
  await whileDown('router', (objects) => rm(objects, { recursive: true }));
  await wallet.sign(MESSAGE);
  await wallet.refresh();
  await wallet.sign(MESSAGE);
});

test('shares of a SigningWorker restored from an older backup sign no more; a recovery heals the wallet', async () => {
  const { wallet, walletId, credential } = new TestDevice(stack);
  await wallet.register();
  const backup = path.join(folder, 'backup');
  await whileDown('signing-worker', (objects) => cp(objects, backup, { recursive: true }));
  await wallet.refresh();
  await wallet.sign(MESSAGE);
  await whileDown('signing-worker', async (objects) => {
    await rm(objects, { recursive: true });
    await cp(backup, objects, { recursive: true });
  });
  expect(await outcomeOf(wallet.sign(MESSAGE))).toBe('epoch_mismatch');
  const again = new TestDevice(stack, { walletId, credential });
  await again.wallet.recover();
  await again.wallet.sign(MESSAGE);
});
