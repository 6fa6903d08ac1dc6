// Public scalars as few digits, and what those digits multiply: never for secrets.

import { LANES } from './arena';
import { addCached, cache, double, POINT_BYTES } from './point';

/** Digits of one scalar, one byte each. */
export const DIGIT_COUNT: i32 = 256;

const DOUBLE = LANES + 480;
const OPPOSITE = LANES + 640;
const PADDED = LANES + 800;
const RUNNING = LANES + 848;

/** Odd multiples that digits of this width reach: 1 to 2^(width-1) - 1. */
// @ts-ignore: decorator
@inline
export function countOf(width: i32): i32 {
  return 1 << (width - 2);
}

/** Cached odd multiples of a point, from 1 on, for digits of this width. */
export function oddMultiplesOf(table: usize, point: usize, width: i32): void {
  double(RUNNING, point);
  cache(DOUBLE, RUNNING);
  memory.copy(RUNNING, point, POINT_BYTES);
  cache(table, RUNNING);
  for (let j = 1; j < countOf(width); j++) {
    addCached(RUNNING, RUNNING, DOUBLE);
    cache(table + j * POINT_BYTES, RUNNING);
  }
}

/** Width-w non-adjacent form: odd digits below 2^(w-1) in magnitude, w - 1 zeros or more after each. */
export function recodeNonAdjacent(digits: usize, scalar: usize, width: i32): void {
  memory.fill(digits, 0, DIGIT_COUNT);
  memory.fill(PADDED, 0, 48);
  memory.copy(PADDED, scalar, 32);
  let carry = 0;
  for (let bit = 0; bit < DIGIT_COUNT; ) {
    const window = <i32>(load<u32>(PADDED + (bit >> 3)) >> (bit & 7)) & ((1 << width) - 1);
    if (((window + carry) & 1) === 0) {
      bit++;
      continue;
    }
    const digit = window + carry;
    carry = digit >> (width - 1);
    store<i8>(digits + bit, <i8>(digit - (carry << width)));
    bit += width;
  }
}

/** out += digit times the point whose odd multiples the table holds. */
export function addMultiple(out: usize, table: usize, digit: i32): void {
  const magnitude = digit < 0 ? -digit : digit;
  const cached = table + (magnitude >> 1) * POINT_BYTES;
  if (digit > 0) {
    addCached(out, out, cached);
    return;
  }
  for (let i = 0; i < POINT_BYTES; i += 16) {
    const limb = v128.load(cached + i);
    v128.store(OPPOSITE + i, i32x4.mul(v128.shuffle<i32>(limb, limb, 1, 0, 2, 3), i32x4(1, 1, 1, -1)));
  }
  addCached(out, out, OPPOSITE);
}
