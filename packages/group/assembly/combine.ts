// Sums of multiples with public scalars, whose digits decide what is done: never for secrets.

import { DIGITS, LANES, MULTIPLES } from './arena';
import { addCached, cache, double, POINT_BYTES } from './point';
import { BASE, IDENTITY } from './products';

const TERM_WINDOW: i32 = 5;
const BASE_WINDOW: i32 = 8;
const TERM_MULTIPLES: i32 = 1 << (TERM_WINDOW - 2);
const BASE_MULTIPLES: i32 = 1 << (BASE_WINDOW - 2);
const DIGIT_COUNT: i32 = 256;

/** Cached G, 3G, ... 127G. */
const BASE_ODD = memory.data(BASE_MULTIPLES * 160, 16);

const DOUBLE = LANES + 480;
const OPPOSITE = LANES + 640;
const PADDED = LANES + 800;

/** Cached odd multiples of a point, from 1 on. */
function oddMultiplesOf(table: usize, point: usize, count: i32, running: usize): void {
  double(running, point);
  cache(DOUBLE, running);
  memory.copy(running, point, POINT_BYTES);
  cache(table, running);
  for (let j = 1; j < count; j++) {
    addCached(running, running, DOUBLE);
    cache(table + j * POINT_BYTES, running);
  }
}

export function fillBaseOdd(): void {
  oddMultiplesOf(BASE_ODD, BASE, BASE_MULTIPLES, MULTIPLES);
}

/** Width-w non-adjacent form: odd digits below 2^(w-1) in magnitude, w - 1 zeros or more after each. */
function recodeNonAdjacent(digits: usize, scalar: usize, width: i32): void {
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

/** Prepares scalar * G as part of the next {@link combine}. */
export function combineBase(scalar: usize): void {
  recodeNonAdjacent(DIGITS, scalar, BASE_WINDOW);
}

/** Prepares scalar * point as term `index`, below 8, of the next {@link combine}. */
export function combineTerm(index: i32, scalar: usize, point: usize): void {
  recodeNonAdjacent(DIGITS + (index + 1) * DIGIT_COUNT, scalar, TERM_WINDOW);
  oddMultiplesOf(MULTIPLES + index * TERM_MULTIPLES * POINT_BYTES, point, TERM_MULTIPLES, OPPOSITE);
}

/** out = the prepared multiple of G plus the first `terms` prepared terms (Straus's method). */
export function combine(out: usize, terms: i32): void {
  memory.copy(out, IDENTITY, POINT_BYTES);
  let started = false;
  for (let bit = DIGIT_COUNT - 1; bit >= 0; bit--) {
    if (started) double(out, out);
    for (let t = 0; t <= terms; t++) {
      const digit = <i32>load<i8>(DIGITS + t * DIGIT_COUNT + bit);
      if (digit === 0) continue;
      started = true;
      const table = t === 0 ? BASE_ODD : MULTIPLES + (t - 1) * TERM_MULTIPLES * POINT_BYTES;
      addDigit(out, table, digit);
    }
  }
}

function addDigit(out: usize, table: usize, digit: i32): void {
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

/** out = left + right. */
export function addPoints(out: usize, left: usize, right: usize): void {
  cache(OPPOSITE, right);
  addCached(out, left, OPPOSITE);
}
