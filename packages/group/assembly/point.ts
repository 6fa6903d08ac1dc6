// Points of edwards25519 in extended coordinates (Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited", 2008) as
// lanes X, Y, Z, T of products.mjs, 160 bytes, T = XY/Z. The formulas are complete for every point of the curve and do their
// products four at a time (section 4.2 there). A second operand is cached: lanes Y-X, Y+X, 2Z, 2dT.

import { AFFINE, LANES } from './arena';
import { add, choose, copy, fromBytes, invert, multiply, negateIf, one, rootPower, square, subtract, toBytes } from './field';
import { CACHING_FACTORS, D, multiplyLanes, ROOT_OF_MINUS_ONE, squareLanes } from './products';

export const POINT_BYTES: i32 = 160;

const LEFT = LANES;
const RIGHT = LANES + 160;
const PRODUCTS = LANES + 320;
const EIGHTFOLD = LANES + 480;

/** Lanes Y-X, Y+X, Z, T of a point. */
function prepare(out: usize, point: usize): void {
  for (let i = 0; i < POINT_BYTES; i += 16) {
    const p = v128.load(point + i);
    const x = v128.shuffle<i32>(p, i32x4.splat(0), 0, 0, 4, 4);
    v128.store(out + i, i32x4.add(v128.shuffle<i32>(p, p, 1, 1, 2, 3), i32x4.mul(x, i32x4(-1, 1, 0, 0))));
  }
}

export function cache(out: usize, point: usize): void {
  prepare(LEFT, point);
  multiplyLanes(out, LEFT, CACHING_FACTORS);
}

/** out = point + what `cached` holds. */
export function addCached(out: usize, point: usize, cached: usize): void {
  prepare(LEFT, point);
  multiplyLanes(PRODUCTS, LEFT, cached);
  for (let i = 0; i < POINT_BYTES; i += 16) {
    // Lanes A, B, D, C give E = B-A, F = D-C, G = D+C, H = B+A.
    const p = v128.load(PRODUCTS + i);
    const egfe = i32x4.add(v128.shuffle<i32>(p, p, 1, 2, 2, 1), i32x4.mul(v128.shuffle<i32>(p, p, 0, 3, 3, 0), i32x4(-1, 1, -1, -1)));
    const fhgh = i32x4.add(v128.shuffle<i32>(p, p, 2, 1, 2, 1), i32x4.mul(v128.shuffle<i32>(p, p, 3, 0, 3, 0), i32x4(-1, 1, 1, 1)));
    v128.store(LEFT + i, egfe);
    v128.store(RIGHT + i, fhgh);
  }
  multiplyLanes(out, LEFT, RIGHT);
}

export function double(out: usize, point: usize): void {
  for (let i = 0; i < POINT_BYTES; i += 16) {
    const p = v128.load(point + i);
    const y = v128.and(v128.shuffle<i32>(p, p, 1, 1, 1, 1), i32x4(0, 0, 0, -1));
    v128.store(LEFT + i, i32x4.add(v128.shuffle<i32>(p, p, 0, 1, 2, 0), y));
  }
  squareLanes(PRODUCTS, LEFT);
  for (let i = 0; i < POINT_BYTES; i += 16) {
    // Lanes XX, YY, ZZ, S = (X+Y)^2 give, all negated, E = XX+YY-S, F = XX-YY+2ZZ, G = XX-YY, H = XX+YY.
    const p = v128.load(PRODUCTS + i);
    const xx = v128.shuffle<i32>(p, p, 0, 0, 0, 0);
    const yy = v128.shuffle<i32>(p, p, 1, 1, 1, 1);
    const s = v128.shuffle<i32>(p, p, 3, 3, 3, 3);
    const zz = v128.and(v128.shuffle<i32>(p, p, 2, 2, 2, 2), i32x4(-1, 0, -1, 0));
    const g = i32x4.sub(xx, yy);
    const h = i32x4.add(xx, yy);
    const gggh = v128.shuffle<i32>(g, h, 0, 1, 2, 7);
    const hhgh = v128.shuffle<i32>(h, g, 0, 1, 6, 3);
    const fgfe = i32x4.sub(i32x4.add(gggh, i32x4.add(zz, zz)), v128.and(s, i32x4(0, 0, 0, -1)));
    const ehgh = i32x4.sub(hhgh, v128.and(s, i32x4(-1, 0, 0, 0)));
    v128.store(LEFT + i, fgfe);
    v128.store(RIGHT + i, ehgh);
  }
  multiplyLanes(out, LEFT, RIGHT);
}

/** One lane of a point as a field element. */
export function takeLane(out: usize, point: usize, lane: i32): void {
  for (let i = 0; i < 10; i++) store<i32>(out + 4 * i, load<i32>(point + 16 * i + 4 * lane));
}

export function putLane(point: usize, f: usize, lane: i32): void {
  for (let i = 0; i < 10; i++) store<i32>(point + 16 * i + 4 * lane, load<i32>(f + 4 * i));
}

/** The point with coordinates X, Y, in limbs that depend on the point alone. */
function putAffine(point: usize): void {
  toBytes(BYTES, X);
  fromBytes(X, BYTES);
  toBytes(BYTES, Y);
  fromBytes(Y, BYTES);
  one(Z);
  multiply(W, X, Y);
  putLane(point, X, 0);
  putLane(point, Y, 1);
  putLane(point, Z, 2);
  putLane(point, W, 3);
}

const X = AFFINE;
const Y = AFFINE + 40;
const Z = AFFINE + 80;
const U = AFFINE + 120;
const V = AFFINE + 160;
const W = AFFINE + 200;
const BYTES = AFFINE + 240;

/** RFC 8032 section 5.1.2. Leaves the point with Z = 1: its other coordinates would tell of the scalar that made it. */
export function encode(out: usize, point: usize): void {
  takeLane(Z, point, 2);
  invert(Z, Z);
  encodeScaled(out, point);
}

/** As {@link encode} for two points, one behind the other, with one inversion for both. */
export function encodeTwo(out: usize, points: usize): void {
  takeLane(U, points, 2);
  takeLane(V, points + POINT_BYTES, 2);
  multiply(Z, U, V);
  invert(Z, Z);
  multiply(U, U, Z);
  multiply(Z, V, Z);
  encodeScaled(out, points);
  copy(Z, U);
  encodeScaled(out + 32, points + POINT_BYTES);
}

/** The same point as X25519 names it: u = (Z + Y) / (Z - Y), 32 bytes (RFC 7748 section 4.1). */
export function encodeMontgomery(out: usize, point: usize): void {
  takeLane(Y, point, 1);
  takeLane(Z, point, 2);
  subtract(U, Z, Y);
  add(V, Z, Y);
  invert(U, U);
  multiply(U, U, V);
  toBytes(out, U);
}

/** {@link encode}, 1/Z being known. */
function encodeScaled(out: usize, point: usize): void {
  takeLane(X, point, 0);
  takeLane(Y, point, 1);
  multiply(X, X, Z);
  multiply(Y, Y, Z);
  putAffine(point);
  toBytes(BYTES, X);
  toBytes(out, Y);
  store<u8>(out, load<u8>(out, 31) | ((load<u8>(BYTES) & 1) << 7), 31);
}

/** All ones where f = 0 mod p, else 0. */
export function zeroMask(f: usize): i32 {
  toBytes(BYTES, f);
  const any = load<u64>(BYTES) | load<u64>(BYTES, 8) | load<u64>(BYTES, 16) | load<u64>(BYTES, 24);
  return <i32>((any | (0 - any)) >> 63) - 1;
}

/** All ones where f is odd, else 0. */
export function oddMask(f: usize): i32 {
  toBytes(BYTES, f);
  return 0 - (<i32>load<u8>(BYTES) & 1);
}

/** RFC 8032 section 5.1.3, strict. @returns 1, or 0 where the bytes are not the one encoding of a point of the curve */
export function decode(out: usize, bytes: usize): i32 {
  fromBytes(Y, bytes);
  one(Z);
  // x^2 = u/v with u = y^2 - 1, v = d y^2 + 1; a root of it is u v^3 (u v^7)^((p-5)/8), or that times a root of -1.
  square(U, Y);
  multiply(V, U, D);
  subtract(U, U, Z);
  add(V, V, Z);
  square(W, V);
  multiply(W, W, V);
  multiply(X, W, U);
  square(W, W);
  multiply(W, W, V);
  multiply(W, W, U);
  rootPower(W, W);
  multiply(X, X, W);
  square(W, X);
  multiply(W, W, V);
  add(Z, W, U);
  const wrongSign = zeroMask(Z);
  multiply(Z, X, ROOT_OF_MINUS_ONE);
  choose(X, X, Z, wrongSign);
  subtract(Z, W, U);
  const isSquare = zeroMask(Z) | wrongSign;
  const sign = 0 - (<i32>load<u8>(bytes, 31) >> 7);
  negateIf(X, X, oddMask(X) ^ sign);
  putAffine(out);
  return isSquare & sameBytes(bytes) & 1;
}

/** All ones where encoding X, Y again gives these bytes: y below p, and no sign on x = 0. */
function sameBytes(bytes: usize): i32 {
  const odd = oddMask(X) & 0x80;
  toBytes(BYTES, Y);
  store<u8>(BYTES, load<u8>(BYTES, 31) | <u8>odd, 31);
  let difference: u64 = 0;
  for (let i: usize = 0; i < 32; i += 8) difference |= load<u64>(BYTES + i) ^ load<u64>(bytes + i);
  return <i32>((difference | (0 - difference)) >> 63) - 1;
}

/** 1 where X = 0 and Y = Z, else 0. */
export function isIdentity(point: usize): i32 {
  takeLane(X, point, 0);
  takeLane(Y, point, 1);
  takeLane(Z, point, 2);
  subtract(Y, Y, Z);
  return zeroMask(X) & zeroMask(Y) & 1;
}

/** 1 where 8 * point is the identity, else 0. */
export function isSmallOrder(point: usize): i32 {
  double(EIGHTFOLD, point);
  double(EIGHTFOLD, EIGHTFOLD);
  double(EIGHTFOLD, EIGHTFOLD);
  return isIdentity(EIGHTFOLD);
}
