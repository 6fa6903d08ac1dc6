import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memoryStorage } from '@streaming-yao/client';
import type { Role } from '@streaming-yao/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleRole, roleEntry } from '../../tools/bundle.ts';
import { type Stack, startStack } from '../../tools/stack.ts';
import { MESSAGE, newCredential, newWalletId, outcomeOf, TestDevice } from './device.ts';

const DERIVERS = ['deriver-a', 'deriver-b'] as const;

let folder: string;
let port: number | undefined;

/** A Deriver of the next wire version, which reads the present one as well. */
async function buildNext(role: (typeof DERIVERS)[number]): Promise<void> {
  const { code, wasm } = await bundleRole(role);
  const next = code.replace(/\bvar FRAME_VERSIONS = \[1\];/, 'var FRAME_VERSIONS = [2, 1];');
  expect(next).not.toBe(code);
  await writeFile(path.join(folder, `${role}.js`), next);
  for (const [name, module] of wasm) await writeFile(path.join(folder, name), module);
}

/** Runs `work` on the deployment with these Derivers new and all else as it was. */
async function withNew(roles: readonly Role[], work: (stack: Stack) => Promise<void>): Promise<void> {
  const entry = (role: Role): string => (roles.includes(role) ? path.join(folder, `${role}.js`) : roleEntry(role));
  const stack = await startStack({ folder: path.join(folder, 'stack'), entry, endOnSignal: false, ...(port && { port }) });
  port = Number(new URL(stack.routerUrl).port);
  try {
    await work(stack);
  } finally {
    await stack.stop();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-rollout-'));
  for (const role of DERIVERS) await buildNext(role);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a next wire version comes and goes without a pause, the evaluator first; in the other order ceremonies wait and signatures go on', async () => {
  const parts = { walletId: newWalletId(), credential: newCredential(), storage: memoryStorage() };
  /** The app opened anew: what commitments it had at hand went with the SigningWorker's memory. */
  const open = (stack: Stack): TestDevice => new TestDevice(stack, parts);
  const works = async (stack: Stack): Promise<void> => {
    const { wallet } = open(stack);
    await wallet.refresh();
    await wallet.sign(MESSAGE);
  };
  const waits = async (stack: Stack): Promise<void> => {
    const { wallet } = open(stack);
    expect(await outcomeOf(wallet.refresh())).toBe('frame_invalid');
    await wallet.sign(MESSAGE);
  };
  await withNew([], async (stack) => {
    await open(stack).wallet.register();
    await works(stack);
  });
  await withNew(['deriver-b'], works);
  await withNew(DERIVERS, works);
  await withNew(['deriver-a'], waits);
  await withNew([], works);
});
