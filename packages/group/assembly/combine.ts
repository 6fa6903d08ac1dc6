// Sums of multiples with public scalars, by Straus's method: one chain of doublings for all terms.

import { DIGITS, LANES, MULTIPLES } from './arena';
import { addMultiple, countOf, DIGIT_COUNT, oddMultiplesOf, recodeNonAdjacent } from './odd-multiples';
import { addCached, cache, double, POINT_BYTES } from './point';
import { BASE, IDENTITY } from './products';

const TERM_WIDTH: i32 = 5;
const BASE_WIDTH: i32 = 8;
const TERM_BYTES: i32 = countOf(TERM_WIDTH) * POINT_BYTES;
const BASE_MULTIPLES = memory.data(64 * 160, 16);
const RIGHT = LANES + 480;

export function fillBaseMultiples(): void {
  oddMultiplesOf(BASE_MULTIPLES, BASE, BASE_WIDTH);
}

/** Prepares scalar * G as part of the next {@link combine}. */
export function combineBase(scalar: usize): void {
  recodeNonAdjacent(DIGITS, scalar, BASE_WIDTH);
}

/** Prepares scalar * point as term `index`, below 8, of the next {@link combine}. */
export function combineTerm(index: i32, scalar: usize, point: usize): void {
  recodeNonAdjacent(DIGITS + (index + 1) * DIGIT_COUNT, scalar, TERM_WIDTH);
  oddMultiplesOf(MULTIPLES + index * TERM_BYTES, point, TERM_WIDTH);
}

/** out = the prepared multiple of G plus the first `terms` prepared terms. */
export function combine(out: usize, terms: i32): void {
  memory.copy(out, IDENTITY, POINT_BYTES);
  let started = false;
  for (let bit = DIGIT_COUNT - 1; bit >= 0; bit--) {
    if (started) double(out, out);
    for (let t = 0; t <= terms; t++) {
      const digit = <i32>load<i8>(DIGITS + t * DIGIT_COUNT + bit);
      if (digit === 0) continue;
      started = true;
      addMultiple(out, t === 0 ? BASE_MULTIPLES : MULTIPLES + (t - 1) * TERM_BYTES, digit);
    }
  }
}

/** out = left + right. */
export function addPoints(out: usize, left: usize, right: usize): void {
  cache(RIGHT, right);
  addCached(out, left, RIGHT);
}
