/** Words of one element of GF(2^128): 128 bits, bit i the coefficient of x^i, four 32-bit words little-endian. */
export const ELEMENT_WORDS = 4;

/** x^128 = x^7 + x^2 + x + 1, the low word of the reduction. */
const REDUCTION = 0x87;

/**
 * Adds `factor * element` to `sum`, three elements of GF(2^128) at their word offsets. No branch and no address depends on a value.
 */
export function multiplyAdd(
  sum: Uint32Array,
  sumAt: number,
  factor: Uint32Array,
  factorAt: number,
  element: Uint32Array,
  elementAt: number,
): void {
  let [p0, p1, p2, p3] = [factor[factorAt]!, factor[factorAt + 1]!, factor[factorAt + 2]!, factor[factorAt + 3]!];
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let word = 0; word < ELEMENT_WORDS; word++) {
    const bits = element[elementAt + word]!;
    for (let bit = 0; bit < 32; bit++) {
      const taken = -((bits >>> bit) & 1);
      s0 ^= p0 & taken;
      s1 ^= p1 & taken;
      s2 ^= p2 & taken;
      s3 ^= p3 & taken;
      const overflow = -(p3 >>> 31);
      p3 = (p3 << 1) | (p2 >>> 31);
      p2 = (p2 << 1) | (p1 >>> 31);
      p1 = (p1 << 1) | (p0 >>> 31);
      p0 = (p0 << 1) ^ (overflow & REDUCTION);
    }
  }
  sum[sumAt] = sum[sumAt]! ^ s0;
  sum[sumAt + 1] = sum[sumAt + 1]! ^ s1;
  sum[sumAt + 2] = sum[sumAt + 2]! ^ s2;
  sum[sumAt + 3] = sum[sumAt + 3]! ^ s3;
}
