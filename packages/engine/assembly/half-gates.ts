// Half-gates (Zahur, Rosulek, Evans, Eurocrypt 2015) over the queue, four hashes at once. The script that builds the kernel
// writes the rounds of the hash where this file says so: unrolled, without the message words that are always zero.

import { delta, key, keyState } from './memory';
import { destinationOf, emptyQueue, GATE, queued, queuedGate } from './queue';

/** Byte orders that rotate 32-bit words right by 16 and by 8. */
export const rotations: usize = memory.data<u8>(
  [
    2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,
    1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12,
  ],
  16,
);

/** AND gates hashed since the start. */
let gate: u32 = 0;

export function rewindGates(): void {
  gate = 0;
}

/** Works out what of the hash depends on the key alone. */
export function prepareKey(): void {
  //@prepare-key
}

/** All ones where the label has colour 1. */
// @ts-ignore: decorator
@inline
function colourMask(label: v128): v128 {
  return i32x4.shr_s(i32x4.shl(v128.shuffle<u32>(label, label, 0, 0, 0, 0), 31), 31);
}

/**
 * Works off the queue. A garbler hashes both labels of both inputs of a gate; an evaluator hashes the active labels of two
 * gates, the second of which is nothing when their number is odd.
 * @param table where the tables of the queued gates stand, or shall stand
 */
export function flush(garbling: bool, table: usize): void {
  const difference = v128.load(delta);
  const count = queued;
  const step = garbling ? i32x4.splat(2) : i32x4.splat(4);
  let counter = i32x4.add(i32x4.splat(<i32>(2 * gate)), garbling ? i32x4(0, 0, 1, 1) : i32x4(0, 1, 2, 3));
  let place = queuedGate(0);
  for (let index: u32 = 0; index < count; ) {
    const a = v128.load(place);
    const b = v128.load(place, 16);
    let h0 = a;
    let h1 = b;
    let h2 = b;
    let h3 = b;
    if (garbling) {
      h1 = v128.xor(a, difference);
      h3 = v128.xor(b, difference);
    } else {
      h2 = v128.load(place, GATE);
      h3 = v128.load(place, GATE + 16);
    }
    //@gate-hash h0 h1 h2 h3 counter
    counter = i32x4.add(counter, step);
    const mask = v128.load(place, 32);
    if (garbling) {
      const colourB = colourMask(b);
      const generator = v128.xor(v128.xor(h0, h1), v128.and(colourB, difference));
      const evaluator = v128.xor(v128.xor(h2, h3), a);
      const generatorOutput = v128.xor(h0, v128.and(colourMask(a), generator));
      const evaluatorOutput = v128.xor(h2, v128.and(colourB, v128.xor(evaluator, a)));
      v128.store(table, generator);
      v128.store(table, evaluator, 16);
      v128.store(destinationOf(index), v128.xor(mask, v128.xor(generatorOutput, evaluatorOutput)));
      place += GATE;
      table += 32;
      index += 1;
    } else {
      v128.store(destinationOf(index), v128.xor(mask, evaluateHalves(a, b, h0, h1, table)));
      if (index + 1 < count) {
        const second = evaluateHalves(v128.load(place, GATE), v128.load(place, GATE + 16), h2, h3, table + 32);
        v128.store(destinationOf(index + 1), v128.xor(v128.load(place, GATE + 32), second));
      }
      place += 2 * GATE;
      table += 64;
      index += 2;
    }
  }
  gate += count;
  emptyQueue();
}

// @ts-ignore: decorator
@inline
function evaluateHalves(a: v128, b: v128, hashA: v128, hashB: v128, table: usize): v128 {
  const generatorOutput = v128.xor(hashA, v128.and(colourMask(a), v128.load(table)));
  const evaluatorOutput = v128.xor(hashB, v128.and(colourMask(b), v128.xor(v128.load(table, 16), a)));
  return v128.xor(generatorOutput, evaluatorOutput);
}
