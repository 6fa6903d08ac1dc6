// Field elements in the scalar form of products.mjs: ten i32 limbs, 40 bytes. Nothing here branches on a value.

import { CHAIN } from './arena';
import { multiply, square } from './products';

export { multiply, square };

const LIMBS: i32 = 10;

export function copy(out: usize, f: usize): void {
  memory.copy(out, f, 40);
}

export function one(out: usize): void {
  memory.fill(out, 0, 40);
  store<i32>(out, 1);
}

export function add(out: usize, f: usize, g: usize): void {
  for (let i: usize = 0; i < 40; i += 4) store<i32>(out + i, load<i32>(f + i) + load<i32>(g + i));
}

export function subtract(out: usize, f: usize, g: usize): void {
  for (let i: usize = 0; i < 40; i += 4) store<i32>(out + i, load<i32>(f + i) - load<i32>(g + i));
}

/** -f where `mask` is all ones, f where it is 0. */
export function negateIf(out: usize, f: usize, mask: i32): void {
  for (let i: usize = 0; i < 40; i += 4) store<i32>(out + i, (load<i32>(f + i) ^ mask) - mask);
}

/** g where `mask` is all ones, f where it is 0. */
export function choose(out: usize, f: usize, g: usize, mask: i32): void {
  for (let i: usize = 0; i < 40; i += 4) {
    const limb = load<i32>(f + i);
    store<i32>(out + i, limb ^ (mask & (limb ^ load<i32>(g + i))));
  }
}

// @ts-ignore: decorator
@inline
function bitsOf(limb: i32): i32 {
  return 26 - (limb & 1);
}

/** The low 255 bits of 32 little-endian bytes, in centred limbs as they come out of a product. */
export function fromBytes(out: usize, bytes: usize): void {
  let offset = 0;
  let carry = 0;
  for (let i = 0; i < LIMBS; i++) {
    const bits = bitsOf(i);
    const limb = <i32>((load<u32>(bytes + (offset >> 3)) >> (offset & 7)) & ((1 << bits) - 1)) + carry;
    carry = (limb + (1 << (bits - 1))) >> bits;
    store<i32>(out + 4 * i, limb - (carry << bits));
    offset += bits;
  }
  store<i32>(out, load<i32>(out) + 19 * carry);
}

/** The one representative from 0 to p - 1, little-endian in 32 bytes. */
export function toBytes(out: usize, f: usize): void {
  // How often p fits: whether adding 19 would carry out at 2^255, estimated from the top, then carried through exactly.
  let quotient = (19 * load<i32>(f, 36) + (1 << 24)) >> 25;
  for (let i = 0; i < LIMBS; i++) quotient = (load<i32>(f + 4 * i) + quotient) >> bitsOf(i);
  let carry: i64 = 19 * quotient;
  let pending: u64 = 0;
  let filled = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry += <i64>load<i32>(f + 4 * i);
    pending |= (<u64>carry & <u64>((1 << bitsOf(i)) - 1)) << filled;
    carry >>= bitsOf(i);
    filled += bitsOf(i);
    for (; filled >= 8; filled -= 8) {
      store<u8>(out++, <u8>pending);
      pending >>= 8;
    }
  }
  store<u8>(out, <u8>pending);
}

function squareTimes(out: usize, f: usize, times: i32): void {
  square(out, f);
  for (let i = 1; i < times; i++) square(out, out);
}

const T0 = CHAIN;
const T1 = CHAIN + 40;
const T2 = CHAIN + 80;
const SAVED = CHAIN + 120;
const INPUT = CHAIN + 160;

/** f^(2^250 - 1) to T1, f^11 to T0: what both exponents below begin with. */
function commonPower(f: usize): void {
  square(T0, f);
  squareTimes(T1, T0, 2);
  multiply(T1, f, T1);
  multiply(T0, T0, T1);
  square(T2, T0);
  multiply(T1, T1, T2);
  extend(T1, 5, T1);
  copy(SAVED, T1);
  extend(T1, 10, T1);
  extend(T1, 20, T1);
  extend(T1, 10, SAVED);
  copy(SAVED, T1);
  extend(T1, 50, T1);
  extend(T1, 100, T1);
  extend(T1, 50, SAVED);
}

/** out = f^(2^times) * g. */
function extend(out: usize, times: i32, g: usize): void {
  squareTimes(T2, out, times);
  multiply(out, T2, g);
}

/** f^(p - 2): 1/f, and 0 for 0. */
export function invert(out: usize, f: usize): void {
  commonPower(f);
  squareTimes(T1, T1, 5);
  multiply(out, T1, T0);
}

/** f^((p - 5) / 8). */
export function rootPower(out: usize, f: usize): void {
  copy(INPUT, f);
  commonPower(f);
  squareTimes(T1, T1, 2);
  multiply(out, T1, INPUT);
}
