import { CACHED_IDENTITY } from './products';

/**
 * digit * point for a digit from -8 to 8, from the cached multiples 1 to 8 of the point. Every multiple is read, and masks
 * decide which one stays.
 */
export function selectCached(out: usize, multiples: usize, digit: i32): void {
  const sign = digit >> 31;
  const magnitude = i32x4.splat((digit ^ sign) - sign);
  const is0 = i32x4.eq(magnitude, i32x4.splat(0));
  const is1 = i32x4.eq(magnitude, i32x4.splat(1));
  const is2 = i32x4.eq(magnitude, i32x4.splat(2));
  const is3 = i32x4.eq(magnitude, i32x4.splat(3));
  const is4 = i32x4.eq(magnitude, i32x4.splat(4));
  const is5 = i32x4.eq(magnitude, i32x4.splat(5));
  const is6 = i32x4.eq(magnitude, i32x4.splat(6));
  const is7 = i32x4.eq(magnitude, i32x4.splat(7));
  const is8 = i32x4.eq(magnitude, i32x4.splat(8));
  const negative = i32x4.splat(sign);
  for (let i: usize = 0; i < 160; i += 16) {
    let limb = v128.and(is0, v128.load(CACHED_IDENTITY + i));
    limb = v128.or(limb, v128.and(is1, v128.load(multiples + i)));
    limb = v128.or(limb, v128.and(is2, v128.load(multiples + i, 160)));
    limb = v128.or(limb, v128.and(is3, v128.load(multiples + i, 320)));
    limb = v128.or(limb, v128.and(is4, v128.load(multiples + i, 480)));
    limb = v128.or(limb, v128.and(is5, v128.load(multiples + i, 640)));
    limb = v128.or(limb, v128.and(is6, v128.load(multiples + i, 800)));
    limb = v128.or(limb, v128.and(is7, v128.load(multiples + i, 960)));
    limb = v128.or(limb, v128.and(is8, v128.load(multiples + i, 1120)));
    // The negative of a cached point has its first two lanes swapped and its last negated.
    const opposite = i32x4.mul(v128.shuffle<i32>(limb, limb, 1, 0, 2, 3), i32x4(1, 1, 1, -1));
    v128.store(out + i, v128.bitselect(opposite, limb, negative));
  }
}

/** 64 digits from -8 to 8, one byte each, of a scalar below 2^253: scalar = sum of digit * 16^place. */
export function recode(digits: usize, scalar: usize): void {
  let carry = 0;
  for (let i = 0; i < 64; i++) {
    const nibble = (<i32>load<u8>(scalar + (i >> 1)) >> ((i & 1) << 2)) & 15;
    const digit = nibble + carry;
    carry = (digit + 8) >> 4;
    store<i8>(digits + i, <i8>(digit - (carry << 4)));
  }
}
