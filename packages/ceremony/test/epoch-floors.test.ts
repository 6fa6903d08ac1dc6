import { LIMITS } from '@streaming-yao/core';
import type { Core } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import { type KeyRecord, raiseFloor, readKey, writeKey } from '../src/deriver-record.ts';
import type { Transaction } from '../src/program.ts';

const fresh: KeyRecord = {
  state: 'active',
  publicKey: new Uint8Array(32),
  seedCommitment: new Uint8Array(32),
  rootVersion: 1,
  floors: [],
};
const asked = (operation: Core['operation'], lane: number, expectedEpoch: number) => ({ operation, lane, expectedEpoch }) as Core;
const key = { walletId: 'w', keyIndex: 0 };

/** What comes back from the store. */
function stored(record: KeyRecord): KeyRecord | undefined {
  let bytes: Uint8Array | undefined;
  const tx = { put: (_table, _key, value) => (bytes = value), get: () => bytes } as Partial<Transaction> as Transaction;
  writeKey(tx, key, record);
  return readKey(tx, key);
}

test('a wallet may recover and refresh more often than a key has lanes, and its record can still be stored', () => {
  let record = fresh;
  for (let lane = 1; lane <= 3 * LIMITS.lanesPerKey; lane++) {
    record = raiseFloor(raiseFloor(record, asked('recover', lane, 0)), asked('refresh', lane, 1));
    expect(stored(record)).toEqual(record);
  }
  expect(record.floors).toHaveLength(LIMITS.lanesPerKey);
  expect(record.floors.at(-1)).toEqual({ lane: 3 * LIMITS.lanesPerKey, epoch: 1 });
});

test('a floor rises with its own lane and with no export', () => {
  const once = raiseFloor(fresh, asked('refresh', 2, 5));
  expect(once.floors).toEqual([{ lane: 2, epoch: 5 }]);
  expect(raiseFloor(once, asked('refresh', 2, 6)).floors).toEqual([{ lane: 2, epoch: 6 }]);
  expect(raiseFloor(once, asked('export', 2, 6))).toBe(once);
  expect(raiseFloor(once, asked('link', 3, 0)).floors).toEqual([{ lane: 2, epoch: 5 }]);
});
