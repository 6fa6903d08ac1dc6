import { YaoError } from '@streaming-yao/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countRequest, limitsToJson } from '../src/admission.ts';
import { type Effect, type Program, run, type Transaction } from '../src/program.ts';
import { type Limit, takeFromAll, takeOne } from '../src/rate-limit.ts';
import type { RouterSurroundings } from '../src/role.ts';

const NOW = 1_800_000_000_000;
const rate = fc.record({ count: fc.integer({ min: 1, max: 50 }), windowMs: fc.integer({ min: 1, max: 100_000 }) });

/** Asks at each of the times. @returns those at which it was let in, and what was said to the others */
function ask(limit: { readonly count: number; readonly windowMs: number }, times: readonly number[]) {
  let fullAtMs = 0;
  const taken: number[] = [];
  const waits: { readonly atMs: number; readonly waitMs: number }[] = [];
  for (const atMs of times) {
    try {
      fullAtMs = takeOne(fullAtMs, limit, atMs);
      taken.push(atMs);
    } catch (error) {
      if (!(error instanceof YaoError) || error.retryAfterMs === undefined) throw error;
      waits.push({ atMs, waitMs: error.retryAfterMs });
    }
  }
  return { taken, waits };
}

describe('a limit', () => {
  test('takes exactly so many at once', () => {
    fc.assert(
      fc.property(rate, (limit) => {
        expect(ask(limit, new Array<number>(limit.count + 5).fill(NOW)).taken).toHaveLength(limit.count);
      }),
    );
  });

  test('takes in any window at most twice as many, and in the long run no more than it says', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(rate, gaps, (limit, steps) => {
        let at = NOW;
        const { taken } = ask(
          limit,
          steps.map((step) => (at += step)),
        );
        for (const from of taken) {
          const within = taken.filter((time) => time >= from && time < from + limit.windowMs);
          expect(within.length).toBeLessThanOrEqual(2 * limit.count);
        }
        expect(taken.length).toBeLessThanOrEqual(limit.count + ((at - NOW) * limit.count) / limit.windowMs);
      }),
    );
  });

  test('tells the time after which it takes the next one, and not before', () => {
    fc.assert(
      fc.property(rate, (limit) => {
        const burst = new Array<number>(limit.count).fill(NOW);
        const { waits } = ask(limit, [...burst, NOW]);
        const waitMs = waits[0]?.waitMs ?? 0;
        expect(ask(limit, [...burst, NOW + waitMs - 1]).taken).toHaveLength(limit.count);
        expect(ask(limit, [...burst, NOW + waitMs]).taken).toHaveLength(limit.count + 1);
      }),
    );
  });
});

test('of several limits none is touched where one refuses', () => {
  const records = new Map<string, Uint8Array>();
  const tx = {
    get: (_: string, key: string) => records.get(key),
    put: (_: string, key: string, value: Uint8Array) => void records.set(key, value),
  } as unknown as Transaction;
  const wide: Limit = { key: 'wide', count: 3, windowMs: 1000 };
  const narrow: Limit = { key: 'narrow', count: 1, windowMs: 1000 };
  takeFromAll(tx, [wide, narrow], NOW);
  const before = new Map(records);
  expect(() => takeFromAll(tx, [wide, narrow], NOW)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  expect(records).toEqual(before);
  takeFromAll(tx, [wide], NOW);
  takeFromAll(tx, [wide], NOW);
  expect(() => takeFromAll(tx, [wide], NOW)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
});

describe('a limit that is written later', () => {
  const limits: readonly Limit[] = [{ key: 'sign', count: 3, windowMs: 3_000 }];

  /** One object that counts, and what it did. */
  function counting() {
    const records = new Map<string, Uint8Array>();
    const done: string[] = [];
    const tx = {
      get: (_: string, key: string) => records.get(key),
      put: (_: string, key: string, value: Uint8Array) => {
        done.push('write');
        records.set(key, value);
      },
    } as unknown as Transaction;
    const later: Program<unknown>[] = [];
    const perform = (effect: Effect): unknown => {
      done.push(effect.kind);
      return effect.kind === 'transact' ? effect.decide(tx) : undefined;
    };
    const awake = () =>
      ({ memory: new Map(), now: () => NOW, background: (program) => later.push(program) }) as Partial<RouterSurroundings>;
    let s = awake() as RouterSurroundings;
    const take = () => run(countRequest(s, limitsToJson(limits, true)), perform);
    const afterwards = async () => {
      for (const program of later.splice(0)) await run(program, perform);
    };
    const restart = () => {
      s = awake() as RouterSurroundings;
    };
    return { take, afterwards, restart, done };
  }

  test('is counted without a write before the answer, and without a read once it is known', async () => {
    const { take, afterwards, done } = counting();
    await take();
    expect(done).toEqual(['transact']);
    await take();
    await take();
    expect(done).toEqual(['transact']);
    await expect(take()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 });
    await afterwards();
    expect(done).toEqual(['transact', 'transact', 'write']);
  });

  test('is remembered over a restart as far as it was written', async () => {
    const { take, afterwards, restart } = counting();
    await take();
    await take();
    await afterwards();
    await take();
    restart();
    await take();
    await expect(take()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
