import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group, Point, Term } from '../src/group.ts';
import { decodeScalar, encodeScalar, invalidScalar, L, littleEndian, modL } from '../src/scalar.ts';

type Curve = typeof ed25519.Point.BASE;
const { BASE, ZERO } = ed25519.Point;

const known = new WeakMap<Point, Curve>();

function wrap(point: Curve): Point {
  const wrapped = { encoded: point.toBytes() };
  known.set(wrapped, point);
  return wrapped;
}

function unwrap(point: Point): Curve {
  const curve = known.get(point);
  if (!curve) throw new YaoError('invalid_point', 'this point was not decoded by the group');
  return curve;
}

const times = (point: Curve, factor: bigint): Curve => (factor === 0n ? ZERO : point.multiply(factor));
const value = (secret: SecretBytes): bigint => secret.use(decodeScalar);
const secret = (scalar: bigint): SecretBytes => SecretBytes.own(encodeScalar(modL(scalar)));

function strict(bytes: Uint8Array): Curve | undefined {
  try {
    const point = ed25519.Point.fromBytes(bytes);
    return equalBytes(point.toBytes(), bytes) ? point : undefined;
  } catch {
    return undefined;
  }
}

function decodePoint(bytes: Uint8Array): Point {
  const point = strict(bytes);
  if (!point?.isTorsionFree() || point.is0()) {
    throw new YaoError('invalid_point', 'not the canonical encoding of a point of prime order');
  }
  return wrap(point);
}

function verifyEd25519(keyOrPoint: Uint8Array | Point, message: Uint8Array, signature: Uint8Array): boolean {
  const publicKey = keyOrPoint instanceof Uint8Array ? keyOrPoint : keyOrPoint.encoded;
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const key = strict(publicKey);
  const nonce = strict(signature.subarray(0, 32));
  const response = littleEndian(signature.subarray(32));
  if (!key || !nonce || response >= L || key.isSmallOrder() || nonce.isSmallOrder()) return false;
  const challenge = modL(littleEndian(sha512(concatBytes(signature.subarray(0, 32), publicKey, message))));
  return times(BASE, response).subtract(times(key, challenge)).equals(nonce);
}

const combined = (base: bigint, terms: readonly Term[]): Curve =>
  terms.reduce((sum, { factor, point }) => sum.add(times(unwrap(point), factor)), times(BASE, base));

/** The group on @noble/curves alone: the oracle. */
export const nobleGroup: Omit<Group, 'ristretto'> = {
  sha512: (...parts) => sha512(concatBytes(...parts)),
  randomScalar: (random) => SecretBytes.own(random(64)).map((bytes) => encodeScalar(modL(littleEndian(bytes)))),
  reduceScalar: (bytes) => {
    if (bytes.length > 64) throw invalidScalar('at most 64 bytes can be reduced');
    return bytes.map((wide) => encodeScalar(modL(littleEndian(wide))));
  },
  addScalars: (left, right) => secret(value(left) + value(right)),
  subtractScalars: (left, right) => secret(value(left) - value(right)),
  multiplyScalars: (left, right) => secret(value(left) * value(right)),
  multiplyAdd: (factor, scalar, addend) => secret(factor * value(scalar) + value(addend)),
  halveScalar: (scalar) => secret(value(scalar) * ((L + 1n) / 2n)),
  baseMultiply: (scalar) => times(BASE, value(scalar)).toBytes(),
  commit: (scalar) => wrap(times(BASE, value(scalar))),
  commitTwo: (first, second) => [wrap(times(BASE, value(first))), wrap(times(BASE, value(second)))],
  fix: (point) => point,
  multiply: (scalar, point) => times(unwrap(point), value(scalar)).toBytes(),
  decodePoint,
  sumOfPoints: (points) =>
    wrap(points.reduce((sum, point) => sum.add(unwrap(point instanceof Uint8Array ? decodePoint(point) : point)), ZERO)),
  combine: (base, terms) => wrap(combined(base, terms)),
  vanishes: (base, terms) => combined(base, terms).is0(),
  ed25519PublicKey: (seed) => seed.use((bytes) => ed25519.getPublicKey(bytes)),
  signEd25519: (seed, message) => seed.use((bytes) => ed25519.sign(message, bytes)),
  x25519PublicKey: (privateKey) => privateKey.use((bytes) => x25519.getPublicKey(bytes)),
  verifyEd25519,
};
