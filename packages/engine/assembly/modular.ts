// Numbers modulo a public odd modulus m with 2^128 < m < 2^256, four at once: one in each 32-bit lane, least significant limb
// first. Sums are collected in signed 64-bit limbs ("wide") and carried out once.

import { modulus, wide } from './memory';

// At `modulus`: eight limbs each of m, of 2^256 mod m and of 2^512 mod m, then -1/m modulo 2^32.
const MODULUS: usize = modulus;
const POWER_256: usize = modulus + 32;
const POWER_512: usize = modulus + 64;
const NEGATED_INVERSE: usize = modulus + 96;

const WIDE_LIMBS: usize = 17;

// @ts-ignore: decorator
@inline
function lowWords(): v128 {
  return i64x2.splat(0xffff_ffff);
}

/** The low words of four wide lanes. */
// @ts-ignore: decorator
@inline
function narrowed(low: v128, high: v128): v128 {
  return v128.shuffle<u32>(low, high, 0, 2, 4, 6);
}

export function clear(sum: usize): void {
  memory.fill(sum, 0, WIDE_LIMBS << 5);
}

/** Adds four lanes to one wide limb. */
// @ts-ignore: decorator
@inline
export function addTo(sum: usize, limb: usize, lanes: v128): void {
  const place = sum + (limb << 5);
  v128.store(place, i64x2.add(v128.load(place), i64x2.extend_low_i32x4_u(lanes)));
  v128.store(place, i64x2.add(v128.load(place, 16), i64x2.extend_high_i32x4_u(lanes)), 16);
}

// @ts-ignore: decorator
@inline
export function takeFrom(sum: usize, limb: usize, lanes: v128): void {
  const place = sum + (limb << 5);
  v128.store(place, i64x2.sub(v128.load(place), i64x2.extend_low_i32x4_u(lanes)));
  v128.store(place, i64x2.sub(v128.load(place, 16), i64x2.extend_high_i32x4_u(lanes)), 16);
}

// @ts-ignore: decorator
@inline
export function modulusLimb(limb: usize): v128 {
  return v128.load32_splat(MODULUS + (limb << 2));
}

/** Adds up the lanes of a sum: every lane then holds the whole. */
export function addLanes(sum: usize): void {
  for (let place = sum; place < sum + (WIDE_LIMBS << 5); place += 32) {
    const pair = i64x2.add(v128.load(place), v128.load(place, 16));
    const whole = i64x2.add(pair, v128.shuffle<u64>(pair, pair, 1, 0));
    v128.store(place, whole);
    v128.store(place, whole, 16);
  }
}

/** Carries between the limbs of a sum that is not negative, so that each is below 2^32. */
function carry(sum: usize): void {
  let low = i64x2.splat(0);
  let high = low;
  for (let place = sum; place < sum + (WIDE_LIMBS << 5); place += 32) {
    low = i64x2.add(low, v128.load(place));
    high = i64x2.add(high, v128.load(place, 16));
    v128.store(place, v128.and(low, lowWords()));
    v128.store(place, v128.and(high, lowWords()), 16);
    low = i64x2.shr_s(low, 32);
    high = i64x2.shr_s(high, 32);
  }
}

/** Takes m off nine carried limbs where that leaves them at zero or above. */
function reduceOnce(sum: usize): void {
  let low = i64x2.splat(0);
  let high = low;
  for (let limb: usize = 0; limb < 9; limb++) {
    const place = sum + (limb << 5);
    const part = limb < 8 ? v128.and(modulusLimb(limb), lowWords()) : i64x2.splat(0);
    low = i64x2.shr_s(i64x2.add(i64x2.sub(v128.load(place), part), low), 63);
    high = i64x2.shr_s(i64x2.add(i64x2.sub(v128.load(place, 16), part), high), 63);
  }
  // All ones where m is to be taken off.
  const takeLow = v128.not(low);
  const takeHigh = v128.not(high);
  low = high = i64x2.splat(0);
  for (let limb: usize = 0; limb < 9; limb++) {
    const place = sum + (limb << 5);
    const part = limb < 8 ? v128.and(modulusLimb(limb), lowWords()) : i64x2.splat(0);
    low = i64x2.add(i64x2.sub(v128.load(place), v128.and(part, takeLow)), low);
    high = i64x2.add(i64x2.sub(v128.load(place, 16), v128.and(part, takeHigh)), high);
    v128.store(place, v128.and(low, lowWords()));
    v128.store(place, v128.and(high, lowWords()), 16);
    low = i64x2.shr_s(low, 63);
    high = i64x2.shr_s(high, 63);
  }
}

/**
 * Reduces a sum from 0 to below (times + 1) * m.
 * @param residue receives eight limbs, a vector each
 */
export function settle(residue: usize, sum: usize, times: i32): void {
  carry(sum);
  for (let i = 0; i < times; i++) reduceOnce(sum);
  for (let limb: usize = 0; limb < 8; limb++) {
    const place = sum + (limb << 5);
    v128.store(residue + (limb << 4), narrowed(v128.load(place), v128.load(place, 16)));
  }
}

/** Adds lanes times a public number of eight limbs, from limb `from` of the wide number on. */
function addProduct(from: usize, lanes: v128, factor: usize): void {
  let low = i64x2.splat(0);
  let high = low;
  let place = wide + (from << 5);
  for (let limb: usize = 0; limb < 8; limb++, place += 32) {
    const part = v128.load32_splat(factor + (limb << 2));
    low = i64x2.add(i64x2.add(low, v128.load(place)), i64x2.extmul_low_i32x4_u(lanes, part));
    high = i64x2.add(i64x2.add(high, v128.load(place, 16)), i64x2.extmul_high_i32x4_u(lanes, part));
    v128.store(place, v128.and(low, lowWords()));
    v128.store(place, v128.and(high, lowWords()), 16);
    low = i64x2.shr_u(low, 32);
    high = i64x2.shr_u(high, 32);
  }
  // The top limb is carried on as well: with more than 32 bits in it the next product could overflow.
  low = i64x2.add(low, v128.load(place));
  high = i64x2.add(high, v128.load(place, 16));
  v128.store(place, v128.and(low, lowWords()));
  v128.store(place, v128.and(high, lowWords()), 16);
  v128.store(place, i64x2.add(v128.load(place, 32), i64x2.shr_u(low, 32)), 32);
  v128.store(place, i64x2.add(v128.load(place, 48), i64x2.shr_u(high, 32)), 48);
}

/**
 * Reduces 512-bit numbers. With R = 2^256, a number high * R + low is (high * (R^2 mod m) + low * (R mod m)) / R modulo m,
 * and the division is Montgomery's (1985), a limb at a time.
 * @param number sixteen limbs, a vector each
 * @param residue receives eight limbs
 */
export function reduce(residue: usize, number: usize): void {
  clear(wide);
  const inverse = v128.load32_splat(NEGATED_INVERSE);
  for (let limb: usize = 0; limb < 8; limb++) {
    addProduct(limb, v128.load(number + (limb << 4)), POWER_256);
    addProduct(limb, v128.load(number + (limb << 4), 128), POWER_512);
    const place = wide + (limb << 5);
    addProduct(limb, i32x4.mul(narrowed(v128.load(place), v128.load(place, 16)), inverse), MODULUS);
  }
  // What is left is below 3m.
  memory.copy(wide, wide + (8 << 5), 9 << 5);
  memory.fill(wide + (9 << 5), 0, (WIDE_LIMBS - 9) << 5);
  settle(residue, wide, 2);
}

/** Reduces a sum that is not negative and below 2^512; its sixteen limbs pass through `number`. */
export function reduceSum(residue: usize, sum: usize, number: usize): void {
  carry(sum);
  for (let limb: usize = 0; limb < 16; limb++) {
    const place = sum + (limb << 5);
    v128.store(number + (limb << 4), narrowed(v128.load(place), v128.load(place, 16)));
  }
  reduce(residue, number);
}
