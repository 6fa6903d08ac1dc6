import { schema, YaoError } from '@streaming-yao/core';
import { PROTOCOL } from '@streaming-yao/wire';
import { type Program, type Transaction, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';

/** At most `count` at once, and as many again in the course of `windowMs`. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * The generic cell rate algorithm (ITU-T I.371): all that is remembered of a limit is the time at which it would be full again.
 * @param fullAtMs as returned before; 0 at first
 * @returns what to remember now
 * @throws YaoError `rate_limited`
 */
export function takeOne(fullAtMs: number, { count, windowMs }: Rate, nowMs: number): number {
  const intervalMs = Math.ceil(windowMs / count);
  const earliestMs = Math.max(fullAtMs, nowMs);
  const waitMs = earliestMs - nowMs - intervalMs * (count - 1);
  if (waitMs <= 0) return earliestMs + intervalMs;
  throw new YaoError('rate_limited', `at most ${count} of these in ${windowMs} ms; try again in ${waitMs} ms`, {
    party: 'client',
    retryAfterMs: waitMs,
  });
}

/** A limit, and what it counts: `key` names both. */
export interface Limit extends Rate {
  readonly key: string;
}

const RateRecord = schema.message(`${PROTOCOL} rate`, { fullAtMs: schema.timeMs });

const storedRate = (tx: Transaction, key: string): number => {
  const stored = tx.get('rate', key);
  return stored ? RateRecord.decode(stored).fullAtMs : 0;
};

const storeRate = (tx: Transaction, key: string, fullAtMs: number): void =>
  tx.put('rate', key, RateRecord.encode({ fullAtMs }), fullAtMs);

/** Takes one of each limit, or of none. @throws YaoError `rate_limited` */
export function takeFromAll(tx: Transaction, limits: readonly Limit[], nowMs: number): void {
  const taken = limits.map((limit) => ({ key: limit.key, fullAtMs: takeOne(storedRate(tx, limit.key), limit, nowMs) }));
  for (const { key, fullAtMs } of taken) storeRate(tx, key, fullAtMs);
}

/** Counters of one object: all that are known, and those that have still to be written. */
interface Counters {
  readonly fullAtMs: Map<string, number>;
  readonly unwritten: Set<string>;
}

const COUNTERS = 'rates';
/** Beyond so many in memory, the disk alone remembers. */
const MOST_COUNTERS = 10_000;

function countersIn(memory: Map<string, unknown>): Counters {
  const known = (memory.get(COUNTERS) as Counters | undefined) ?? { fullAtMs: new Map(), unwritten: new Set() };
  memory.set(COUNTERS, known);
  return known;
}

/**
 * As {@link takeFromAll}, for answers that no write may hold up: counted in memory, written afterwards. What was counted last is lost
 * with the object.
 */
export function* takeInMemory(s: RouterSurroundings, limits: readonly Limit[]): Program<void> {
  const { fullAtMs, unwritten } = countersIn(s.memory);
  const unread = limits.filter(({ key }) => !fullAtMs.has(key));
  if (unread.length > 0) {
    const read = yield* transact((tx) => unread.map(({ key }) => [key, storedRate(tx, key)] as const));
    for (const [key, stored] of read) if (!fullAtMs.has(key)) fullAtMs.set(key, stored);
  }
  const nowMs = s.now();
  const taken = limits.map((limit) => [limit.key, takeOne(fullAtMs.get(limit.key) ?? 0, limit, nowMs)] as const);
  if (unwritten.size === 0) s.background(writeCounters(s.memory));
  for (const [key, full] of taken) {
    fullAtMs.set(key, full);
    unwritten.add(key);
  }
}

function* writeCounters(memory: Map<string, unknown>): Program<void> {
  const { fullAtMs, unwritten } = countersIn(memory);
  const keys = [...unwritten];
  unwritten.clear();
  yield* transact((tx) => {
    for (const key of keys) storeRate(tx, key, fullAtMs.get(key) ?? 0);
  });
  if (fullAtMs.size > MOST_COUNTERS && unwritten.size === 0) fullAtMs.clear();
}
