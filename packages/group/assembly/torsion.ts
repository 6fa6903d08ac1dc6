// Whether a point lies in the prime-order subgroup, by halving it (Pornin, "Point-Halving and Subgroup Membership in Twisted
// Edwards Curves", 2022). The curve's torsion is cyclic of order 8, so a point is in the subgroup if and only if it can be
// halved three times. On the Montgomery form v^2 = u(u^2 + Au + 1), u = (1 + y)/(1 - y):
//   a point has a half if and only if u, or equally u^2 + Au + 1, is a square;
//   the halves' u fulfil u + 1/u = w, where w = 2u +- 2 sqrt(u^2 + Au + 1), with the sign that makes w^2 - 4 a square;
//   that u is a square if and only if w + 2 is. A^2 - 4 and 2 - A are no squares, so w + A, a square exactly for the right
//   sign, and w + 2 change with the sign together.
// For public points: branches depend on them. u stays a fraction n/m.

import { AFFINE } from './arena';
import { add, multiply, rootPower, square, subtract, toBytes } from './field';
import { isIdentity, isSmallOrder, takeLane } from './point';
import { FOUR, HALVING_ROOT, MONTGOMERY_A, ROOT_OF_MINUS_ONE, TWO } from './products';

const N = AFFINE;
const M = AFFINE + 40;
const W = AFFINE + 80;
const F = AFFINE + 120;
const ROOT = AFFINE + 160;
const ROOT_SQUARED = AFFINE + 200;
const T = AFFINE + 240;
const BYTES = AFFINE + 280;

function isZero(f: usize): bool {
  toBytes(BYTES, f);
  return (load<u64>(BYTES) | load<u64>(BYTES, 8) | load<u64>(BYTES, 16) | load<u64>(BYTES, 24)) === 0;
}

/** Leaves r = F^((p+3)/8) at ROOT and r^2 at ROOT_SQUARED; where F is a square, makes r a root of it. */
function squareRoot(): bool {
  rootPower(ROOT, F);
  multiply(ROOT, ROOT, F);
  square(ROOT_SQUARED, ROOT);
  subtract(T, ROOT_SQUARED, F);
  if (isZero(T)) return true;
  add(T, ROOT_SQUARED, F);
  if (!isZero(T)) return false;
  multiply(ROOT, ROOT, ROOT_OF_MINUS_ONE);
  return true;
}

/** A root of u^2 + Au + 1, times m, to ROOT, and m times w for one sign of it to W; false where there is none. */
function firstRoot(): bool {
  square(F, N);
  multiply(T, N, M);
  multiply(T, T, MONTGOMERY_A);
  add(F, F, T);
  square(T, M);
  add(F, F, T);
  if (!squareRoot()) return false;
  add(W, N, ROOT);
  multiply(W, W, TWO);
  return true;
}

/** Replaces n/m by the u of a half; false where there is none. */
function halve(): bool {
  if (!firstRoot()) return false;
  square(F, W);
  square(T, M);
  multiply(T, T, FOUR);
  subtract(F, F, T);
  if (squareRoot()) {
    add(N, W, ROOT);
    multiply(M, M, TWO);
    return true;
  }
  // The product of both signs' w^2 - 4 is 16 u^2 (A^2 - 4), and r^2 is F times a root of -1: so the root for the other sign is
  // 4nm/r times a root of +-sqrt(-1) (A^2 - 4).
  multiply(T, N, FOUR);
  subtract(W, T, W);
  multiply(T, T, M);
  multiply(T, T, HALVING_ROOT);
  multiply(N, F, ROOT_OF_MINUS_ONE);
  subtract(N, N, ROOT_SQUARED);
  if (!isZero(N)) multiply(T, T, ROOT_OF_MINUS_ONE);
  multiply(N, W, ROOT);
  add(N, N, T);
  multiply(M, M, ROOT);
  multiply(M, M, TWO);
  return true;
}

/** Whether a half of n/m has a half itself. */
function halfHasHalf(): bool {
  if (!firstRoot()) return false;
  multiply(T, M, MONTGOMERY_A);
  add(T, T, W);
  multiply(F, M, TWO);
  add(F, F, W);
  multiply(F, F, T);
  return squareRoot();
}

/** 1 where order * point is the identity, else 0. */
export function isTorsionFree(point: usize): i32 {
  if (isSmallOrder(point)) return isIdentity(point);
  takeLane(T, point, 1);
  takeLane(W, point, 2);
  add(N, W, T);
  subtract(M, W, T);
  return halve() && halfHasHalf() ? 1 : 0;
}
