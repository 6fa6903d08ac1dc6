// Half-gates (Zahur, Rosulek, Evans, Eurocrypt 2015) over the queue, four hashes at once. The script that builds the kernel
// writes the rounds of the hash where this file says so: unrolled, without the message words that are always zero.

import { delta, key, keyState } from './memory';
import { destinationOf, emptyQueue, queued, queuedGate } from './queue';

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

// @ts-ignore: decorator
@inline
function select(mask: v128, block: v128): v128 {
  return v128.and(mask, block);
}

/**
 * Works off the queue. A garbler hashes both labels of both inputs of a gate; an evaluator hashes the active labels of two
 * gates, the second of which is nothing when their number is odd.
 * @param table where the tables of the queued gates stand, or shall stand
 */
export function flush(garbling: bool, table: usize): void {
  const difference = v128.load(delta);
  const count = queued;
  let index: u32 = 0;
  while (index < count) {
    const place = queuedGate(index);
    const a = v128.load(place);
    const b = v128.load(place, 16);
    let c = v128.xor(a, difference);
    let d = v128.xor(b, difference);
    // Lanes are (a, a + delta, b, b + delta) for a garbler, (a, b, next a, next b) for an evaluator.
    let second = c;
    let third = b;
    let fourth = d;
    let counter = i32x4.add(i32x4.splat(<i32>(2 * gate)), i32x4(0, 0, 1, 1));
    if (!garbling) {
      c = v128.load(place, 48);
      d = v128.load(place, 64);
      second = b;
      third = c;
      fourth = d;
      counter = i32x4.add(i32x4.splat(<i32>(2 * gate)), i32x4(0, 1, 2, 3));
    }
    let h0 = a;
    let h1 = second;
    let h2 = third;
    let h3 = fourth;
    //@gate-hash h0 h1 h2 h3 counter
    if (garbling) {
      const generator = v128.xor(v128.xor(h0, h1), select(colourMask(b), difference));
      const evaluator = v128.xor(v128.xor(h2, h3), a);
      const generatorOutput = v128.xor(h0, select(colourMask(a), generator));
      const evaluatorOutput = v128.xor(h2, select(colourMask(b), v128.xor(evaluator, a)));
      v128.store(table, generator);
      v128.store(table, evaluator, 16);
      v128.store(destinationOf(index), v128.xor(v128.load(place, 32), v128.xor(generatorOutput, evaluatorOutput)));
      table += 32;
      index += 1;
      gate += 1;
    } else {
      const firstOutput = evaluateHalves(a, b, h0, h1, table);
      v128.store(destinationOf(index), v128.xor(v128.load(place, 32), firstOutput));
      if (index + 1 < count) {
        const secondOutput = evaluateHalves(c, d, h2, h3, table + 32);
        v128.store(destinationOf(index + 1), v128.xor(v128.load(place, 80), secondOutput));
      }
      table += 64;
      index += 2;
      gate += 2;
    }
  }
  gate -= index - count;
  emptyQueue();
}

// @ts-ignore: decorator
@inline
function evaluateHalves(a: v128, b: v128, hashA: v128, hashB: v128, table: usize): v128 {
  const generatorOutput = v128.xor(hashA, select(colourMask(a), v128.load(table)));
  const evaluatorOutput = v128.xor(hashB, select(colourMask(b), v128.xor(v128.load(table, 16), a)));
  return v128.xor(generatorOutput, evaluatorOutput);
}
