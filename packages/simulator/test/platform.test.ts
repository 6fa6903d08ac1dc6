import { YaoError } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { Clock } from '../src/clock.ts';
import { MemoryStore } from '../src/store.ts';
import { Tape } from '../src/tape.ts';

describe('the virtual clock', () => {
  test('rings timers in their order, those of one time in the order they were set', () => {
    const clock = new Clock(100);
    const rung: string[] = [];
    clock.at(130, () => rung.push('late'));
    clock.at(110, () => rung.push('first'));
    clock.at(110, () => rung.push('second'));
    const stop = clock.at(120, () => rung.push('stopped'));
    stop();
    while (clock.jump());
    expect(rung).toEqual(['first', 'second', 'late']);
    expect(clock.nowMs).toBe(130);
  });

  test('never goes back', () => {
    const clock = new Clock(100);
    clock.at(50, () => undefined);
    clock.jump();
    expect(clock.nowMs).toBe(100);
    clock.passUntil(90);
    expect(clock.nowMs).toBe(100);
  });
});

describe('the store', () => {
  const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

  test('writes nothing until it is committed, and nothing when the decision throws', () => {
    const store = new MemoryStore();
    const { changes } = store.decide((tx) => tx.put('t', 'k', bytes(1)));
    expect(store.get('t', 'k')).toBeUndefined();
    store.commit(changes);
    expect(store.get('t', 'k')).toEqual(bytes(1));
    const decide = () =>
      store.decide((tx) => {
        tx.delete('t', 'k');
        throw new YaoError('internal', 'no');
      });
    expect(decide).toThrow(YaoError);
    expect(store.get('t', 'k')).toEqual(bytes(1));
  });

  test('shows a transaction what it has written itself, in key order and up to the limit', () => {
    const store = new MemoryStore();
    const { changes } = store.decide((tx) => {
      for (const key of ['b', 'a', 'c']) tx.put('t', key, bytes(1));
    });
    store.commit(changes);
    const { result } = store.decide((tx) => {
      tx.delete('t', 'a');
      tx.put('t', 'aa', bytes(2));
      tx.put('other', 'a', bytes(3));
      return [tx.list('t', '', 2), tx.list('t', 'a', 9)].map((found) => found.map(({ key }) => key));
    });
    expect(result).toEqual([['aa', 'b'], ['aa']]);
  });

  test('copies in and out', () => {
    const store = new MemoryStore();
    const value = bytes(1);
    store.commit(store.decide((tx) => tx.put('t', 'k', value)).changes);
    value[0] = 9;
    const { result } = store.decide((tx) => tx.get('t', 'k'));
    (result as Uint8Array)[0] = 8;
    expect(store.get('t', 'k')).toEqual(bytes(1));
  });

  test('deletes what is due', () => {
    const store = new MemoryStore();
    store.commit(
      store.decide((tx) => {
        tx.put('t', 'soon', bytes(1), 100);
        tx.put('t', 'later', bytes(1), 200);
        tx.put('t', 'never', bytes(1));
      }).changes,
    );
    expect(store.nextDueMs).toBe(100);
    store.deleteDue(100);
    expect([...store.entries()].map(({ key }) => key).toSorted()).toEqual(['later', 'never']);
  });

  test('is of no use to a transaction that has ended', () => {
    const store = new MemoryStore();
    const { result } = store.decide((tx) => tx);
    expect(() => result.put('t', 'k', bytes(1))).toThrow(/after its end/);
  });
});

describe('a tape', () => {
  test('gives the same for the same name, and something else for another', () => {
    const draw = (name: string): string => new Tape(name).bytes(64).join();
    expect(draw('a')).toBe(draw('a'));
    expect(draw('a')).not.toBe(draw('b'));
    expect(new Tape('a').fork('b').bytes(8)).toEqual(new Tape('a/b').bytes(8));
  });

  test('draws every number below the bound, and none above', () => {
    const tape = new Tape('bound');
    const drawn = new Set(Array.from({ length: 300 }, () => tape.below(7)));
    expect([...drawn].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('gives long and short draws without repeating itself', () => {
    const tape = new Tape('long');
    const draws = [tape.bytes(2000), tape.bytes(16), tape.bytes(2000), tape.bytes(16)].map((bytes) => bytes.slice(0, 16).join());
    expect(new Set(draws).size).toBe(4);
  });
});
