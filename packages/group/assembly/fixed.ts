// Sums of a multiple of G and one of a point that comes again and again, for public scalars: with the odd multiples of 2^64,
// 2^128 and 2^192 times the point at hand as well, a fourth of the doublings is enough.

import { DIGITS, MULTIPLES } from './arena';
import { addMultiple, countOf, DIGIT_COUNT, oddMultiplesOf, recodeNonAdjacent } from './odd-multiples';
import { double, POINT_BYTES } from './point';
import { BASE, IDENTITY } from './products';

const QUARTERS: i32 = 4;
const QUARTER_BITS: i32 = DIGIT_COUNT / QUARTERS;
const FIXED_WIDTH: i32 = 5;
const BASE_WIDTH: i32 = 7;

/** The multiples that {@link fixPoint} makes and {@link combineFixed} uses: 5,120 bytes. */
export const FIXED: usize = memory.data(4 * 8 * 160, 16);
const FIXED_BASE: usize = memory.data(4 * 32 * 160, 16);

function fillQuarters(table: usize, point: usize, width: i32): void {
  memory.copy(MULTIPLES, point, POINT_BYTES);
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    oddMultiplesOf(table + quarter * countOf(width) * POINT_BYTES, MULTIPLES, width);
    for (let k = 0; k < QUARTER_BITS; k++) double(MULTIPLES, MULTIPLES);
  }
}

export function fillFixedBase(): void {
  fillQuarters(FIXED_BASE, BASE, BASE_WIDTH);
}

export function fixPoint(point: usize): void {
  fillQuarters(FIXED, point, FIXED_WIDTH);
}

/** out = base * G + scalar * the fixed point. */
export function combineFixed(out: usize, base: usize, scalar: usize): void {
  recodeNonAdjacent(DIGITS, base, BASE_WIDTH);
  recodeNonAdjacent(DIGITS + DIGIT_COUNT, scalar, FIXED_WIDTH);
  memory.copy(out, IDENTITY, POINT_BYTES);
  for (let bit = QUARTER_BITS - 1; bit >= 0; bit--) {
    double(out, out);
    for (let quarter = 0; quarter < QUARTERS; quarter++) {
      const place = DIGITS + quarter * QUARTER_BITS + bit;
      addDigit(out, FIXED_BASE + quarter * countOf(BASE_WIDTH) * POINT_BYTES, place);
      addDigit(out, FIXED + quarter * countOf(FIXED_WIDTH) * POINT_BYTES, place + DIGIT_COUNT);
    }
  }
}

function addDigit(out: usize, table: usize, place: usize): void {
  const digit = <i32>load<i8>(place);
  if (digit !== 0) addMultiple(out, table, digit);
}
