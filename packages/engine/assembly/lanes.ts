// Four 32-bit lanes at once, one label, hash or number in each.

/** Turns four rows of four words at `from`, `stride` bytes apart, into columns at `to`, one after the other. */
export function transpose(to: usize, from: usize, stride: usize): void {
  const a = v128.load(from);
  const b = v128.load(from + stride);
  const c = v128.load(from + 2 * stride);
  const d = v128.load(from + 3 * stride);
  storeTransposed(to, 16, a, b, c, d);
}

/** The inverse: columns at `from` become rows at `to`, `stride` bytes apart. */
export function transposeBack(to: usize, stride: usize, from: usize): void {
  storeTransposed(to, stride, v128.load(from), v128.load(from, 16), v128.load(from, 32), v128.load(from, 48));
}

// @ts-ignore: decorator
@inline
function storeTransposed(to: usize, stride: usize, a: v128, b: v128, c: v128, d: v128): void {
  const t0 = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
  const t1 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
  const t2 = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
  const t3 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<u32>(t0, t2, 0, 1, 4, 5));
  v128.store(to + stride, v128.shuffle<u32>(t0, t2, 2, 3, 6, 7));
  v128.store(to + 2 * stride, v128.shuffle<u32>(t1, t3, 0, 1, 4, 5));
  v128.store(to + 3 * stride, v128.shuffle<u32>(t1, t3, 2, 3, 6, 7));
}

/** All ones in the lanes whose label, with its first words in `first`, has colour 1. */
// @ts-ignore: decorator
@inline
export function colourLanes(first: v128): v128 {
  return i32x4.shr_s(i32x4.shl(first, 31), 31);
}

/** All ones in the first `count` lanes. */
// @ts-ignore: decorator
@inline
export function firstLanes(count: u32): v128 {
  return i32x4.gt_s(i32x4.splat(<i32>count), i32x4(0, 1, 2, 3));
}
