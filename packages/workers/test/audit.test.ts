import type { AuditEvent } from '@streaming-yao/ceremony/role';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditTrail } from '../src/audit.ts';
import type { D1Database } from '../src/platform.ts';

const event = (name: string): AuditEvent => ({ atMs: 1, walletId: 'w', event: name, ceremonyId: null, outcome: 'ok' });

/** A database that keeps the batches it is given, each as the names of its events. */
function recordingDatabase(batch: (names: readonly string[]) => Promise<void>): D1Database {
  const bind = (rows: string) => ({ run: () => batch((JSON.parse(rows) as string[][]).map(([, , name]) => String(name))) });
  return { prepare: () => ({ bind }) } as unknown as D1Database;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('events that gather', () => {
  test('are written together, after a while, by whoever noted the first of them', async () => {
    const batches: (readonly string[])[] = [];
    const trail = new AuditTrail(
      recordingDatabase(async (names) => void batches.push(names)),
      500,
    );
    const first = trail.note(event('one'));
    // Others do not wait, since they may be of other requests.
    await trail.note(event('two'));
    await vi.advanceTimersByTimeAsync(499);
    expect(batches).toEqual([]);
    await trail.note(event('three'));
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual([['one', 'two', 'three']]);
    await first;
    void trail.note(event('four'));
    await vi.advanceTimersByTimeAsync(500);
    expect(batches.slice(1)).toEqual([['four']]);
  });

  test('do not wait for ever for a request that was broken off', async () => {
    const batches: (readonly string[])[] = [];
    const write = vi.fn(async (names: readonly string[]) => void batches.push(names));
    write.mockImplementationOnce(() => new Promise(() => undefined));
    const trail = new AuditTrail(recordingDatabase(write), 500);
    void trail.note(event('lost'));
    await vi.advanceTimersByTimeAsync(9_000);
    await trail.note(event('waiting'));
    await vi.advanceTimersByTimeAsync(1_000);
    void trail.note(event('next'));
    await vi.advanceTimersByTimeAsync(500);
    expect(batches).toEqual([['waiting', 'next']]);
  });
});
