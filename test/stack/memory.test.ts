import { expect, test } from 'vitest';
import { memoryOf } from '../../bench/load/watch.ts';
import { keptBytes } from '../../tools/heap.ts';
import { TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

/** Of a role's whole process, workerd and garbage included. */
const PEAK_MB = 256;
/** By so much more may be kept after twenty more activations: much less than a frame of tables for each. */
const KEPT_MORE_BYTES = 256 * 1024;

const shared = sharedStack({ inspected: true });

async function keptByRoles(): Promise<readonly (readonly [string, number])[]> {
  return Promise.all(Object.values(shared.stack.roles).map(async (role) => [role.role, await keptBytes(role)] as const));
}

test('over forty activations in a row by one pair of objects no role keeps more, and none needs much', async () => {
  const { wallet } = new TestDevice(shared.stack);
  await wallet.register();
  const peaks = new Map<string, number>();
  for (let activation = 0; activation < 20; activation++) {
    await wallet.refresh();
    for (const [role, mb] of Object.entries(await memoryOf(shared.stack))) peaks.set(role, Math.max(mb, peaks.get(role) ?? 0));
  }
  expect(peaks.size).toBe(4);
  expect([...peaks].filter(([, mb]) => mb > PEAK_MB)).toEqual([]);

  const before = new Map(await keptByRoles());
  for (let activation = 0; activation < 20; activation++) await wallet.refresh();
  const more = (await keptByRoles()).map(([role, bytes]) => [role, bytes - (before.get(role) ?? 0)] as const);
  expect(more.filter(([, bytes]) => bytes > KEPT_MORE_BYTES)).toEqual([]);
});
