// ristretto255 (RFC 9496): a group of prime order, its elements represented by points of the curve. Nothing here branches on a
// value; decoding gives its verdict as a number.

import { RISTRETTO } from './arena';
import { addPoints } from './combine';
import { add, choose, fromBytes, multiply, negateIf, one, rootPower, square, subtract, toBytes } from './field';
import { oddMask, POINT_BYTES, putLane, takeLane, zeroMask } from './point';
import { D, D_MINUS_ONE_SQUARED, INVERSE_ROOT_A_MINUS_D, ONE_MINUS_D_SQUARED, ROOT_AD_MINUS_ONE, ROOT_OF_MINUS_ONE } from './products';

const ONE = RISTRETTO;
const X = RISTRETTO + 40;
const Y = RISTRETTO + 80;
const Z = RISTRETTO + 120;
const T = RISTRETTO + 160;
const U = RISTRETTO + 200;
const V = RISTRETTO + 240;
const S = RISTRETTO + 280;
const W = RISTRETTO + 320;
const ROOT = RISTRETTO + 360;
const LEFT = RISTRETTO + 400;
const RIGHT = RISTRETTO + 440;
const A = RISTRETTO + 480;
const B = RISTRETTO + 520;
const C = RISTRETTO + 560;
const E = RISTRETTO + 600;
const BYTES = RISTRETTO + 640;
const OTHER = RISTRETTO + 672;

/** |f|: the one of f and -f that is even. */
function absolute(f: usize): void {
  negateIf(f, f, oddMask(f));
}

/** Section 4.2: the even root of u/v to ROOT, or of sqrt(-1) u/v. @returns all ones where u/v is a square, else 0 */
function rootOfRatio(u: usize, v: usize): i32 {
  square(LEFT, v);
  multiply(LEFT, LEFT, v);
  square(RIGHT, LEFT);
  multiply(RIGHT, RIGHT, v);
  multiply(LEFT, LEFT, u);
  multiply(RIGHT, RIGHT, u);
  rootPower(RIGHT, RIGHT);
  multiply(ROOT, LEFT, RIGHT);
  square(LEFT, ROOT);
  multiply(LEFT, LEFT, v);
  subtract(RIGHT, LEFT, u);
  const correct = zeroMask(RIGHT);
  add(RIGHT, LEFT, u);
  const flipped = zeroMask(RIGHT);
  multiply(RIGHT, u, ROOT_OF_MINUS_ONE);
  add(RIGHT, LEFT, RIGHT);
  const turned = zeroMask(RIGHT);
  multiply(RIGHT, ROOT, ROOT_OF_MINUS_ONE);
  choose(ROOT, ROOT, RIGHT, flipped | turned);
  absolute(ROOT);
  return correct | flipped;
}

function putPoint(out: usize): void {
  putLane(out, X, 0);
  putLane(out, Y, 1);
  putLane(out, Z, 2);
  putLane(out, T, 3);
}

/** All ones where S encodes to these bytes again: it is below p, and the top bit is not set. */
function sameBytes(bytes: usize): i32 {
  toBytes(BYTES, S);
  let difference: u64 = 0;
  for (let i: usize = 0; i < 32; i += 8) difference |= load<u64>(BYTES + i) ^ load<u64>(bytes + i);
  return <i32>((difference | (0 - difference)) >> 63) - 1;
}

/** Section 4.3.1. @returns 1, or 0 where the bytes are not the one encoding of an element */
export function ristrettoDecode(out: usize, bytes: usize): i32 {
  one(ONE);
  fromBytes(S, bytes);
  const canonical = sameBytes(bytes) & ~oddMask(S);
  square(W, S);
  subtract(A, ONE, W);
  add(B, ONE, W);
  square(C, B);
  square(V, A);
  multiply(V, V, D);
  add(V, V, C);
  negateIf(V, V, -1);
  multiply(U, V, C);
  const isSquare = rootOfRatio(ONE, U);
  multiply(E, ROOT, B);
  multiply(Y, ROOT, E);
  multiply(Y, V, Y);
  multiply(Y, A, Y);
  add(S, S, S);
  multiply(X, S, E);
  absolute(X);
  multiply(T, X, Y);
  one(Z);
  putPoint(out);
  return canonical & isSquare & ~oddMask(T) & ~zeroMask(Y) & 1;
}

/** Section 4.3.2. */
export function ristrettoEncode(out: usize, point: usize): void {
  one(ONE);
  takeLane(X, point, 0);
  takeLane(Y, point, 1);
  takeLane(Z, point, 2);
  takeLane(T, point, 3);
  add(A, Z, Y);
  subtract(B, Z, Y);
  multiply(U, A, B);
  multiply(V, X, Y);
  square(C, V);
  multiply(C, C, U);
  rootOfRatio(ONE, C);
  multiply(U, ROOT, U);
  multiply(V, ROOT, V);
  multiply(W, U, V);
  multiply(W, W, T);
  multiply(A, X, ROOT_OF_MINUS_ONE);
  multiply(B, Y, ROOT_OF_MINUS_ONE);
  multiply(E, U, INVERSE_ROOT_A_MINUS_D);
  multiply(C, T, W);
  const rotated = oddMask(C);
  choose(X, X, B, rotated);
  choose(Y, Y, A, rotated);
  choose(V, V, E, rotated);
  multiply(C, X, W);
  negateIf(Y, Y, oddMask(C));
  subtract(C, Z, Y);
  multiply(S, C, V);
  absolute(S);
  toBytes(out, S);
}

/** Section 4.3.4, MAP: 32 bytes, of which the top bit does not count, to a point. */
function map(out: usize, bytes: usize): void {
  one(ONE);
  fromBytes(T, bytes);
  square(W, T);
  multiply(W, W, ROOT_OF_MINUS_ONE);
  add(U, W, ONE);
  multiply(U, U, ONE_MINUS_D_SQUARED);
  multiply(V, W, D);
  add(V, V, ONE);
  negateIf(V, V, -1);
  add(A, W, D);
  multiply(V, V, A);
  const isSquare = rootOfRatio(U, V);
  multiply(S, ROOT, T);
  negateIf(S, S, ~oddMask(S));
  choose(S, S, ROOT, isSquare);
  negateIf(A, ONE, -1);
  choose(C, W, A, isSquare);
  subtract(E, W, ONE);
  multiply(E, E, C);
  multiply(E, E, D_MINUS_ONE_SQUARED);
  subtract(E, E, V);
  multiply(A, S, V);
  add(A, A, A);
  multiply(B, E, ROOT_AD_MINUS_ONE);
  square(W, S);
  subtract(U, ONE, W);
  add(V, ONE, W);
  multiply(X, A, V);
  multiply(Y, U, B);
  multiply(Z, B, V);
  multiply(T, A, U);
  putPoint(out);
}

/** Section 4.3.4: 64 uniform bytes to a uniform element. `out` may not overlap the bytes. */
export function ristrettoMap(out: usize, bytes: usize): void {
  map(OTHER, bytes);
  map(out, bytes + 32);
  addPoints(out, out, OTHER);
}

/** point = -point. */
export function negatePoint(point: usize): void {
  for (let i = 0; i < POINT_BYTES; i += 16) v128.store(point + i, i32x4.mul(v128.load(point + i), i32x4(-1, 1, 1, -1)));
}
