import { schema, YaoError } from '@streaming-yao/core';
import { PROTOCOL } from '@streaming-yao/wire';
import type { Transaction } from './program.ts';

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

/** Takes one of each limit, or of none. @throws YaoError `rate_limited` */
export function takeFromAll(tx: Transaction, limits: readonly Limit[], nowMs: number): void {
  const taken = limits.map((limit) => {
    const stored = tx.get('rate', limit.key);
    return { key: limit.key, fullAtMs: takeOne(stored ? RateRecord.decode(stored).fullAtMs : 0, limit, nowMs) };
  });
  for (const { key, fullAtMs } of taken) tx.put('rate', key, RateRecord.encode({ fullAtMs }), fullAtMs);
}
