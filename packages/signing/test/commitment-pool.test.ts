import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, toHex } from '@streaming-yao/core';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { CommitmentPool } from '../src/commitment-pool.ts';
import { presignIdOf } from '../src/lane.ts';
import { group, lane, NOW_MS, twoSigners } from './two-signers.ts';

const idOf = (taken: { presignId: Uint8Array } | undefined): string => (taken ? toHex(taken.presignId) : 'none');

function takeIn(stock: CommitmentPool, presigns: readonly Presign[], nowMs: number): void {
  for (const presign of presigns) stock.takeIn(presign, nowMs);
}

describe("the client's stock of commitments", () => {
  it('gives out each presign once, oldest first, and none that comes again', () => {
    const offered = twoSigners().pool.prepare(4, NOW_MS);
    const stock = new CommitmentPool(group, lane);
    takeIn(stock, offered, NOW_MS);
    takeIn(stock, offered, NOW_MS);
    const taken = Array.from({ length: 4 }, () => idOf(stock.take(NOW_MS)));
    expect(taken).toEqual(offered.map(idOf));
    expect(stock.take(NOW_MS)).toBeUndefined();
    takeIn(stock, offered, NOW_MS + 1);
    expect(stock.take(NOW_MS + 1)).toBeUndefined();
  });

  it('asks for more below the low-water mark only, and holds no more than the newest that it has room for', () => {
    const { pool } = twoSigners();
    const stock = new CommitmentPool(group, lane, { fullPresigns: 8, lowWaterPresigns: 3 });
    expect(stock.wanted(NOW_MS)).toBe(8);
    const offered = pool.prepare(12, NOW_MS);
    takeIn(stock, offered, NOW_MS);
    const taken: string[] = [];
    for (const wanted of [0, 0, 0, 0, 0, 0, 6, 7, 8]) {
      expect(stock.wanted(NOW_MS)).toBe(wanted);
      taken.push(idOf(stock.take(NOW_MS)));
    }
    expect(taken).toEqual([...offered.slice(4).map(idOf), 'none']);
  });

  it('leaves out what has expired or is about to', () => {
    const { pool } = twoSigners({ lifeMs: 10_000 });
    const stock = new CommitmentPool(group, lane, { marginMs: 2_000 });
    takeIn(stock, pool.prepare(2, NOW_MS), NOW_MS);
    expect(stock.held(NOW_MS + 7_999)).toBeGreaterThan(0);
    expect(stock.take(NOW_MS + 7_999)).toBeDefined();
    expect(stock.held(NOW_MS + 8_000)).toBe(0);
    expect(stock.wanted(NOW_MS + 8_000)).toBe(LIMITS.presignsPerPrepare);
    expect(stock.take(NOW_MS + 8_000)).toBeUndefined();
    takeIn(stock, pool.prepare(1, NOW_MS), NOW_MS + 10_000);
    expect(stock.take(NOW_MS)).toBeUndefined();
  });

  it('does not believe in presigns that live longer than any may', () => {
    const { pool } = twoSigners({ lifeMs: LIMITS.presignLifeMs + LIMITS.clockSkewMs + 1 });
    const stock = new CommitmentPool(group, lane);
    takeIn(stock, pool.prepare(1, NOW_MS), NOW_MS);
    expect(stock.take(NOW_MS)).toBeUndefined();
  });

  it('takes a presign no second time while it lives, however many came meanwhile', () => {
    const { pool } = twoSigners({ lifeMs: 10_000 });
    const stock = new CommitmentPool(group, lane);
    const [first] = pool.prepare(1, NOW_MS);
    takeIn(stock, first ? [first] : [], NOW_MS);
    for (const laterMs of [2_000, 4_000, 6_000]) takeIn(stock, pool.prepare(20, NOW_MS + laterMs), NOW_MS + laterMs);
    while (stock.take(NOW_MS + 6_000));
    takeIn(stock, first ? [first] : [], NOW_MS + 9_999);
    expect(stock.take(NOW_MS + 4_000)).toBeUndefined();
  });

  it('forgets what came before on demand, and does not take it in again', () => {
    const offered = twoSigners().pool.prepare(2, NOW_MS);
    const stock = new CommitmentPool(group, lane);
    takeIn(stock, offered, NOW_MS);
    stock.forgetBefore(stock.arrivals);
    takeIn(stock, offered, NOW_MS);
    expect(stock.take(NOW_MS)).toBeUndefined();
  });

  it.each(ED25519_TORSION_SUBGROUP.slice(1))('refuses a commitment with the torsion component %s', (torsion) => {
    const [presign] = twoSigners().pool.prepare(1, NOW_MS) as [Presign];
    const hiding = ed25519.Point.fromBytes(presign.hiding).add(ed25519.Point.fromHex(torsion, true)).toBytes();
    const mixed = { ...presign, hiding };
    const stock = new CommitmentPool(group, lane);
    expect(() => stock.takeIn({ ...mixed, presignId: presignIdOf(lane, mixed) }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'invalid_point', party: 'signing-worker' }),
    );
  });
});
