// One output block, all 64 bytes, of keyed BLAKE3 of four 16-byte messages at once: compact, where the gate hash is fast.

import { key, LABEL, labels, message, state, tables } from './memory';
import { transpose, transposeBack } from './lanes';

/** Which message word stands in which place of each round; 4 is any word that is zero. */
const order: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
  2, 4, 3, 4, 4, 0, 4, 4, 1, 4, 4, 4, 4, 4, 4, 4,
  3, 4, 4, 4, 4, 2, 4, 4, 4, 4, 4, 0, 4, 4, 4, 1,
  4, 4, 4, 4, 4, 3, 4, 4, 4, 0, 4, 2, 4, 4, 1, 4,
  4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 4, 3, 0, 1, 4, 4,
  4, 4, 4, 4, 4, 4, 4, 1, 4, 3, 0, 4, 2, 4, 4, 4,
  4, 4, 4, 0, 1, 4, 4, 4, 4, 4, 2, 4, 3, 4, 4, 4,
]);

// @ts-ignore: decorator
@inline
function rotated(word: v128, by: i32): v128 {
  return v128.or(i32x4.shr_u(word, by), i32x4.shl(word, 32 - by));
}

// @ts-ignore: decorator
@inline
function messageWord(place: usize): v128 {
  return v128.load(message + (<usize>load<u8>(place) << 4));
}

// @ts-ignore: decorator
@inline
function quarter(i: usize, j: usize, k: usize, l: usize, place: usize): void {
  let a = v128.load(state + 16 * i);
  let b = v128.load(state + 16 * j);
  let c = v128.load(state + 16 * k);
  let d = v128.load(state + 16 * l);
  a = i32x4.add(i32x4.add(a, b), messageWord(place));
  d = rotated(v128.xor(d, a), 16);
  c = i32x4.add(c, d);
  b = rotated(v128.xor(b, c), 12);
  a = i32x4.add(i32x4.add(a, b), messageWord(place + 1));
  d = rotated(v128.xor(d, a), 8);
  c = i32x4.add(c, d);
  b = rotated(v128.xor(b, c), 7);
  v128.store(state + 16 * i, a);
  v128.store(state + 16 * j, b);
  v128.store(state + 16 * k, c);
  v128.store(state + 16 * l, d);
}

/**
 * Hashes the four labels whose words stand in the lanes at `message`.
 * @param block receives 16 output words, a vector each
 * @param counter output block of each lane
 */
export function hashLanes(block: usize, counter: v128): void {
  for (let i: usize = 0; i < 8; i++) v128.store(state + 16 * i, v128.load32_splat(key + 4 * i));
  v128.store(state, i32x4.splat(0x6a09e667), 128);
  v128.store(state, i32x4.splat(0xbb67ae85), 144);
  v128.store(state, i32x4.splat(0x3c6ef372), 160);
  v128.store(state, i32x4.splat(0xa54ff53a), 176);
  v128.store(state, counter, 192);
  v128.store(state, i32x4.splat(0), 208);
  v128.store(state, i32x4.splat(16), 224);
  v128.store(state, i32x4.splat(27), 240);
  v128.store(message, i32x4.splat(0), 64);
  for (let place = order; place < order + 112; place += 16) {
    quarter(0, 4, 8, 12, place);
    quarter(1, 5, 9, 13, place + 2);
    quarter(2, 6, 10, 14, place + 4);
    quarter(3, 7, 11, 15, place + 6);
    quarter(0, 5, 10, 15, place + 8);
    quarter(1, 6, 11, 12, place + 10);
    quarter(2, 7, 8, 13, place + 12);
    quarter(3, 4, 9, 14, place + 14);
  }
  for (let i: usize = 0; i < 8; i++) {
    const high = v128.load(state + 16 * i, 128);
    v128.store(block + 16 * i, v128.xor(v128.load(state + 16 * i), high));
    v128.store(block + 16 * i, v128.xor(high, v128.load32_splat(key + 4 * i)), 128);
  }
}

/** Output blocks of lanes that belong to consecutive labels. */
// @ts-ignore: decorator
@inline
export function counters(first: u32, step: u32): v128 {
  return i32x4.add(i32x4.splat(<i32>first), i32x4.mul(i32x4.splat(<i32>step), i32x4(0, 1, 2, 3)));
}

/**
 * Hashes `count` messages at `labels` to blocks of 64 bytes at `tables`; message i to output block first + step * i.
 * Works in fours: there is room for three blocks more.
 */
export function hashBlocks(count: u32, first: u32, step: u32): void {
  for (let i: u32 = 0; i < count; i += 4) {
    transpose(message, labels + <usize>i * LABEL, LABEL);
    hashLanes(state, counters(first + step * i, step));
    for (let word: usize = 0; word < 256; word += 64) {
      transposeBack(tables + (<usize>i << 6) + (word >> 2), 64, state + word);
    }
  }
}
