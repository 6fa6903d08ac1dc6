import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { memoryStorage } from '@streaming-yao/client';
import { SETTINGS } from '@streaming-yao/core';
import { type Stack, startStack } from '../../tools/stack.ts';
import type { Usage } from '../cost/model.ts';
import type { Progress } from '../figure.ts';
import { device, newPhraseCredential, newWalletId, random } from '../stack.ts';
import { METER_PATH, type Reading, type Standing } from './metered.ts';

export const METERED_OPERATIONS = ['register', 'refresh', 'recover', 'export', 'sign'] as const;
export type MeteredOperation = (typeof METERED_OPERATIONS)[number];

/** A client's stock of commitments is filled in blocks, which are counted in full. */
const SIGNATURES_PER_ROUND = 16;

type Meter = Reading & Standing;

/**
 * Carries out each operation on a stack whose roles count what the platform would charge for.
 * @param rounds of each operation; signatures in blocks
 * @returns what one operation used on average, of all roles together
 */
export async function measureUsage(rounds: number, progress: Progress): Promise<Readonly<Record<MeteredOperation, Usage>>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-hosted-'));
  const entry = (role: string): string => path.join(import.meta.dirname, `${role}.ts`);
  // An alarm of an earlier operation, which goes off when a registration's time is over, would be counted with a later one.
  const stack = await startStack({ folder, entry, settings: { ceremonyDeadlineMs: SETTINGS.ceremonyDeadlineMs.most } });
  try {
    const used: [MeteredOperation, Usage][] = [];
    for (const operation of METERED_OPERATIONS) {
      progress(`hosted: ${rounds} times ${operation}`);
      used.push([operation, await usageOf(stack, operation, rounds)]);
    }
    return Object.fromEntries(used) as Record<MeteredOperation, Usage>;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function usageOf(stack: Stack, operation: MeteredOperation, rounds: number): Promise<Usage> {
  const work = await prepare(stack, operation);
  // The Router's trail gathers signatures for a while before it writes them.
  const quietMs = operation === 'sign' ? 800 : 200;
  const before = await settled(stack, quietMs);
  for (let i = 0; i < rounds; i++) await work();
  const after = await settled(stack, quietMs);
  const times = operation === 'sign' ? rounds * SIGNATURES_PER_ROUND : rounds;
  const each = (value: number): number => value / times;
  return {
    requests: each(after.requests),
    objectRequests: each(after.objectRequests),
    objectMessages: each(after.objectMessages),
    objectActiveMs: each(after.objectActiveMs),
    objectRowsRead: each(after.objectRowsRead),
    objectRowsWritten: each(after.objectRowsWritten + after.rowsToDelete - before.rowsToDelete),
    databaseRowsRead: each(after.databaseRowsRead),
    databaseRowsWritten: each(after.databaseRowsWritten),
    objectBytes: each(after.objectBytes - before.objectBytes),
    databaseBytes: each(after.databaseBytes - before.databaseBytes),
  };
}

/** What comes before an operation and is not counted. */
async function prepare(stack: Stack, operation: MeteredOperation): Promise<() => Promise<unknown>> {
  if (operation === 'register') return () => device(stack, newWalletId()).register();
  const [walletId, credential] = [newWalletId(), newPhraseCredential()];
  const wallet = device(stack, walletId, { credential, storage: memoryStorage() });
  await wallet.register();
  if (operation === 'refresh') return () => wallet.refresh();
  if (operation === 'recover') return () => device(stack, walletId, { credential }).recover();
  if (operation === 'export') return () => wallet.exportKey({ format: 'seed-hex' });
  const message = random(200);
  const block = async (): Promise<void> => {
    for (let i = 0; i < SIGNATURES_PER_ROUND; i++) await wallet.sign(message);
  };
  await wallet.prefetch();
  await block();
  return block;
}

/** All roles' meters since they were last read, once nothing goes on any more. */
async function settled(stack: Stack, quietMs: number): Promise<Meter> {
  let whole = await readAll(stack);
  for (;;) {
    await wait(quietMs);
    const more = await readAll(stack);
    whole = {
      ...added(whole, more),
      rowsToDelete: more.rowsToDelete,
      objectBytes: more.objectBytes,
      databaseBytes: more.databaseBytes,
    };
    if (more.objectRequests + more.objectRowsWritten + more.databaseRowsWritten + more.objectActiveMs === 0) return whole;
  }
}

async function readAll(stack: Stack): Promise<Meter> {
  const meters = await Promise.all(
    Object.entries(stack.roles).map(async ([role, { url }]) => {
      const { requests, ...meter } = (await (await fetch(`${url}${METER_PATH}`)).json()) as Meter;
      // Other roles are asked by service bindings.
      return { ...meter, requests: role === 'router' ? requests : 0 };
    }),
  );
  return meters.reduce(added);
}

function added(left: Meter, right: Meter): Meter {
  const sums = Object.keys(left).map((name) => [name, left[name as keyof Meter] + right[name as keyof Meter]]);
  return Object.fromEntries(sums) as unknown as Meter;
}
