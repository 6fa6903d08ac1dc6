// Multiplication by secret scalars: the same steps and the same addresses for every scalar.

import { DIGITS, LANES, MULTIPLES } from './arena';
import { addCached, cache, double, POINT_BYTES } from './point';
import { BASE, IDENTITY } from './products';
import { recode, selectCached } from './select';

const SELECTED = LANES + 480;
const MULTIPLES_OF_ONE: i32 = 8;
const PLACES: i32 = 32;

/** Cached j * 256^i * G for j from 1 to 8 and i below 32. Public. */
const COMB = memory.data(PLACES * MULTIPLES_OF_ONE * 160, 16);

/** Cached 1 to 8 times a point. */
function multiplesOf(table: usize, point: usize, running: usize): void {
  cache(table, point);
  memory.copy(running, point, POINT_BYTES);
  for (let j = 1; j < MULTIPLES_OF_ONE; j++) {
    addCached(running, running, table);
    cache(table + j * POINT_BYTES, running);
  }
}

const PLACE = MULTIPLES;
const RUNNING = MULTIPLES + 160;

/** Fills the table for {@link baseMultiply}; once, at start-up. */
export function fillComb(): void {
  memory.copy(PLACE, BASE, POINT_BYTES);
  for (let i = 0; i < PLACES; i++) {
    multiplesOf(COMB + i * MULTIPLES_OF_ONE * POINT_BYTES, PLACE, RUNNING);
    for (let k = 0; k < 8; k++) double(PLACE, PLACE);
  }
}

/** out = scalar * G; scalar below 2^253. `out` and `scalar` may not overlap. */
export function baseMultiply(out: usize, scalar: usize): void {
  recode(DIGITS, scalar);
  memory.copy(out, IDENTITY, POINT_BYTES);
  // Odd digits first: four doublings then give them their factor 16 in one go.
  for (let i = 1; i < 64; i += 2) addDigit(out, i);
  for (let k = 0; k < 4; k++) double(out, out);
  for (let i = 0; i < 64; i += 2) addDigit(out, i);
}

function addDigit(out: usize, place: i32): void {
  selectCached(SELECTED, COMB + (place >> 1) * MULTIPLES_OF_ONE * POINT_BYTES, load<i8>(DIGITS + place));
  addCached(out, out, SELECTED);
}

/** out = scalar * point; scalar below 2^253. `out` may not overlap the others. */
export function multiplyPoint(out: usize, scalar: usize, point: usize): void {
  recode(DIGITS, scalar);
  multiplesOf(MULTIPLES, point, out);
  memory.copy(out, IDENTITY, POINT_BYTES);
  for (let i = 63; i >= 0; i--) {
    for (let k = 0; k < 4; k++) double(out, out);
    selectCached(SELECTED, MULTIPLES, load<i8>(DIGITS + i));
    addCached(out, out, SELECTED);
  }
}
