// Integers mod L = 2^252 + 27742317777372353535851937790883648493, constant time. Inside, nine limbs of 29 bits, one to eight
// bytes; products by Montgomery's method with R = 2^261.

import { SCALAR } from './arena';
import { MINUS_L_INVERSE, ORDER, R_MOD_ORDER, R_SQUARED_MOD_ORDER } from './products';

const LIMBS: i32 = 9;
const BITS: i32 = 29;
const MASK: u64 = (1 << BITS) - 1;

const COLUMNS = SCALAR;
const A = SCALAR + 0xa0;
const B = SCALAR + 0xf0;
const C = SCALAR + 0x140;
const WIDE = SCALAR + 0x190;

/** 29-bit limbs from `bit` on of little-endian bytes, of which seven more than needed are readable. */
function fromBytes(out: usize, bytes: usize, bit: i32): void {
  for (let i = 0; i < LIMBS; i++, bit += BITS) {
    store<u64>(out + 8 * i, (load<u64>(bytes + (bit >> 3)) >> (bit & 7)) & MASK);
  }
}

function toBytes(out: usize, f: usize): void {
  let pending: u64 = 0;
  let filled = 0;
  let next = 0;
  for (let i = 0; i < 32; i++) {
    if (filled < 8) {
      pending |= load<u64>(f + 8 * next++) << filled;
      filled += BITS;
    }
    store<u8>(out + i, <u8>pending);
    pending >>= 8;
    filled -= 8;
  }
}

/** Takes L off where `f`, of carried limbs, is at least L. */
function reduceOnce(f: usize): void {
  let borrow: i64 = 0;
  for (let i = 0; i < LIMBS; i++) borrow = (<i64>load<u64>(f + 8 * i) - <i64>load<u64>(ORDER + 8 * i) + borrow) >> BITS;
  const keep = borrow;
  let carry: i64 = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry += <i64>load<u64>(f + 8 * i) - (<i64>load<u64>(ORDER + 8 * i) & ~keep);
    store<u64>(f + 8 * i, <u64>carry & MASK);
    carry >>= BITS;
  }
}

/** out = f * g / R mod L, for f * g < R * L. */
function montgomery(out: usize, f: usize, g: usize): void {
  memory.fill(COLUMNS, 0, 8 * 2 * LIMBS);
  for (let i = 0; i < LIMBS; i++) {
    const limb = load<u64>(f + 8 * i);
    for (let j = 0; j < LIMBS; j++) accumulate(i + j, limb * load<u64>(g + 8 * j));
  }
  for (let i = 0; i < LIMBS; i++) {
    const factor = (load<u64>(COLUMNS + 8 * i) * MINUS_L_INVERSE) & MASK;
    for (let j = 0; j < LIMBS; j++) accumulate(i + j, factor * load<u64>(ORDER + 8 * j));
    accumulate(i + 1, load<u64>(COLUMNS + 8 * i) >> BITS);
  }
  let carry: u64 = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry += load<u64>(COLUMNS + 8 * (LIMBS + i));
    store<u64>(out + 8 * i, carry & MASK);
    carry >>= BITS;
  }
  reduceOnce(out);
}

// @ts-ignore: decorator
@inline
function accumulate(column: i32, value: u64): void {
  store<u64>(COLUMNS + 8 * column, load<u64>(COLUMNS + 8 * column) + value);
}

function addLimbs(out: usize, f: usize, g: usize): void {
  let carry: u64 = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry += load<u64>(f + 8 * i) + load<u64>(g + 8 * i);
    store<u64>(out + 8 * i, carry & MASK);
    carry >>= BITS;
  }
  reduceOnce(out);
}

/** out = a * b + c mod L, each of 32 bytes and below L. */
export function scalarMultiplyAdd(out: usize, a: usize, b: usize, c: usize): void {
  load32(A, a);
  load32(B, b);
  load32(C, c);
  montgomery(A, A, R_SQUARED_MOD_ORDER);
  montgomery(A, A, B);
  addLimbs(A, A, C);
  toBytes(out, A);
}

function load32(out: usize, bytes: usize): void {
  memory.fill(WIDE, 0, 80);
  memory.copy(WIDE, bytes, 32);
  fromBytes(out, WIDE, 0);
}

/** out = 64 little-endian bytes mod L. */
export function scalarReduce(out: usize, bytes: usize): void {
  memory.fill(WIDE, 0, 80);
  memory.copy(WIDE, bytes, 64);
  fromBytes(A, WIDE, 0);
  fromBytes(B, WIDE, LIMBS * BITS);
  montgomery(A, A, R_MOD_ORDER);
  montgomery(B, B, R_SQUARED_MOD_ORDER);
  addLimbs(A, A, B);
  toBytes(out, A);
}

/** 1 where 32 bytes are below L, else 0. */
export function scalarIsCanonical(bytes: usize): i32 {
  load32(A, bytes);
  let borrow: i64 = 0;
  for (let i = 0; i < LIMBS; i++) borrow = (<i64>load<u64>(A + 8 * i) - <i64>load<u64>(ORDER + 8 * i) + borrow) >> BITS;
  return <i32>borrow & 1;
}
