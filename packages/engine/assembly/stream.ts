// The stream of tables: made piece by piece for a garbler, used up piece by piece by an evaluator.

import { flush, prepareKey, rewindGates } from './half-gates';
import { tables } from './memory';
import { queued } from './queue';
import { collect, start } from './sha512';

/** Bytes of tables that lie in the buffer. */
let held: u32 = 0;

function keepFrom(offset: u32): void {
  held -= offset;
  memory.copy(tables, tables + offset, held);
}

/** Begins a circuit: input labels, key and (for a garbler) delta are in their places. */
export function begin(): void {
  held = 0;
  prepareKey();
  rewindGates();
  start();
}

/**
 * Forgets the first `taken` bytes of the buffer and garbles on until it holds `wanted` bytes, at most 384 more, or all that
 * are left.
 * @returns bytes in the buffer
 */
export function garble(taken: u32, wanted: u32): u32 {
  keepFrom(taken);
  while (held < wanted && collect()) {
    const bytes = queued << 5;
    flush(true, tables + held);
    held += bytes;
  }
  return held;
}

/**
 * Evaluates as far as the tables reach.
 * @param bytes that were put into the buffer behind those that the last call left
 * @returns bytes in the buffer that wait for more, less than one column of gates
 */
export function evaluate(bytes: u32): u32 {
  held += bytes;
  let used: u32 = 0;
  while (queued > 0 || collect()) {
    const needed = queued << 5;
    if (used + needed > held) break;
    flush(false, tables + used);
    used += needed;
  }
  keepFrom(used);
  return held;
}

export { finish } from './sha512';
