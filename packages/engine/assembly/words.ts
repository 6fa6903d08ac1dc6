// 64-bit words of labels. A bit whose value is public has the label 0 or delta (0 always, for the evaluator), so that XOR needs
// no case distinction; which bits are public is kept beside the labels.

import { delta, known, LABEL, values, WORD, words } from './memory';

// Names of words: eight of the state and sixteen of the schedule, both used in rotation, then the scratch of one round.
export const STATE: i32 = 0;
export const SCHEDULE: i32 = 8;
export const BIG_SIGMA_0: i32 = 24;
export const BIG_SIGMA_1: i32 = 25;
export const SMALL_SIGMA_0: i32 = 26;
export const SMALL_SIGMA_1: i32 = 27;
export const CHOICE: i32 = 28;
export const MAJORITY: i32 = 29;
export const T1: i32 = 30;

export const ALL: u64 = u64.MAX_VALUE;

// @ts-ignore: decorator
@inline
export function labelAt(word: i32, bit: i32): usize {
  return words + <usize>word * WORD + <usize>bit * LABEL;
}

// @ts-ignore: decorator
@inline
export function knownBits(word: i32): u64 {
  return load<u64>(known + (<usize>word << 3));
}

// @ts-ignore: decorator
@inline
export function valueOf(word: i32): u64 {
  return load<u64>(values + (<usize>word << 3));
}

/** Declares which bits of `word` are public, and their values. */
export function setKnown(word: i32, bits: u64, value: u64): void {
  store<u64>(known + (<usize>word << 3), bits);
  store<u64>(values + (<usize>word << 3), value & bits);
}

/** The label of a public bit. */
// @ts-ignore: decorator
@inline
export function publicLabel(bit: u32): v128 {
  return v128.and(v128.load(delta), i32x4.splat(-(<i32>bit & 1)));
}

export function setConstant(word: i32, value: u64): void {
  setKnown(word, ALL, value);
  for (let i = 0; i < 64; i++) v128.store(labelAt(word, i), publicLabel(<u32>(value >> i)));
}

/** The XOR of three rotations to the right. */
export function xorRotated(to: i32, from: i32, first: i32, second: i32, third: i32): void {
  if (knownBits(from) == ALL) {
    const value = valueOf(from);
    return setConstant(to, rotr(value, first) ^ rotr(value, second) ^ rotr(value, third));
  }
  setKnown(to, 0, 0);
  for (let i = 0; i < 64; i++) {
    const a = v128.load(labelAt(from, (i + first) & 63));
    const b = v128.load(labelAt(from, (i + second) & 63));
    const c = v128.load(labelAt(from, (i + third) & 63));
    v128.store(labelAt(to, i), v128.xor(v128.xor(a, b), c));
  }
}

/** The XOR of two rotations and a shift to the right. */
export function xorShifted(to: i32, from: i32, first: i32, second: i32, shift: i32): void {
  if (knownBits(from) == ALL) {
    const value = valueOf(from);
    return setConstant(to, rotr(value, first) ^ rotr(value, second) ^ (value >> shift));
  }
  setKnown(to, 0, 0);
  for (let i = 0; i < 64; i++) {
    const a = v128.load(labelAt(from, (i + first) & 63));
    const b = v128.load(labelAt(from, (i + second) & 63));
    let rotated = v128.xor(a, b);
    if (i + shift < 64) rotated = v128.xor(rotated, v128.load(labelAt(from, i + shift)));
    v128.store(labelAt(to, i), rotated);
  }
}
