import type { SecretBytes } from '@streaming-yao/core';
import type { Ristretto } from './ristretto.ts';

/**
 * An element of the prime-order subgroup, decoded and checked once; only a {@link Group} makes one.
 * Whoever asks for a `Point` cannot be handed unchecked bytes.
 */
export interface Point {
  /** RFC 8032 section 5.1.2, 32 bytes; not to be changed. */
  readonly encoded: Uint8Array;
}

/** `factor * point`, both public. */
export interface Term {
  /** 0 <= factor < L. */
  readonly factor: bigint;
  readonly point: Point;
}

/**
 * Ed25519's prime-order group, written additively, and the integers mod L.
 *
 * Secret scalars are {@link SecretBytes}: 32 bytes, little-endian, canonical. Everything that takes one runs in time and with
 * memory addresses that do not depend on it. Public scalars are bigints below L; what takes only those may be faster for some.
 */
export interface Group {
  /** The group of the same order whose elements have no cofactor to mind, for oblivious transfer. */
  readonly ristretto: Ristretto;

  /** SHA-512 of the parts one after another: 64 bytes. They may be secret. */
  sha512(...parts: readonly Uint8Array[]): Uint8Array;

  /** A scalar uniform to within 2^-259: 64 random bytes mod L. */
  randomScalar(random: (length: number) => Uint8Array): SecretBytes;

  /** Up to 64 little-endian bytes, mod L. @throws YaoError `invalid_scalar` when longer */
  reduceScalar(bytes: SecretBytes): SecretBytes;

  /** left + right mod L. @throws YaoError `invalid_scalar` when one is not 32 canonical bytes */
  addScalars(left: SecretBytes, right: SecretBytes): SecretBytes;

  /** left - right mod L. @throws YaoError `invalid_scalar` */
  subtractScalars(left: SecretBytes, right: SecretBytes): SecretBytes;

  /** left * right mod L. @throws YaoError `invalid_scalar` */
  multiplyScalars(left: SecretBytes, right: SecretBytes): SecretBytes;

  /** factor * secret + addend mod L, the factor public. @throws YaoError `invalid_scalar` */
  multiplyAdd(factor: bigint, secret: SecretBytes, addend: SecretBytes): SecretBytes;

  /** The scalar that added to itself is `secret`. @throws YaoError `invalid_scalar` */
  halveScalar(secret: SecretBytes): SecretBytes;

  /** secret * G, encoded: 32 bytes. @throws YaoError `invalid_scalar` */
  baseMultiply(secret: SecretBytes): Uint8Array;

  /** secret * G. @throws YaoError `invalid_scalar` */
  commit(secret: SecretBytes): Point;

  /** Both scalars times G, in less time than one by one. @throws YaoError `invalid_scalar` */
  commitTwo(first: SecretBytes, second: SecretBytes): readonly [Point, Point];

  /** The same point, with multiples at hand that halve the time of equations with no other factor than its own and 1. */
  fix(point: Point): Point;

  /** secret * point, encoded: 32 bytes. @throws YaoError `invalid_scalar` */
  multiply(secret: SecretBytes, point: Point): Uint8Array;

  /**
   * Decodes strictly: canonical, on the curve, in the prime-order subgroup, not the identity.
   * @throws YaoError `invalid_point`
   */
  decodePoint(bytes: Uint8Array): Point;

  /** Sum of points, each decoded or in 32 bytes; none gives the identity. @throws YaoError `invalid_point` as {@link decodePoint} */
  sumOfPoints(points: readonly (Uint8Array | Point)[]): Point;

  /** base * G plus every term. Public inputs only: the time depends on them. */
  combine(base: bigint, terms: readonly Term[]): Point;

  /** Whether base * G plus every term is the identity: how equations are checked. Public inputs only. */
  vanishes(base: bigint, terms: readonly Term[]): boolean;

  /** The public key of a 32-byte seed (RFC 8032 section 5.1.5). @throws YaoError `invalid_scalar` for another length */
  ed25519PublicKey(seed: SecretBytes): Uint8Array;

  /** RFC 8032 section 5.1.6: R, then S, 64 bytes. @param seed 32 bytes @throws YaoError `invalid_scalar` for another length */
  signEd25519(seed: SecretBytes, message: Uint8Array): Uint8Array;

  /** X25519(k, 9) of a 32-byte private key k (RFC 7748 section 6.1). @throws YaoError `invalid_scalar` for another length */
  x25519PublicKey(privateKey: SecretBytes): Uint8Array;

  /**
   * RFC 8032 section 5.1.7 without cofactor, strict: refuses S >= L, non-canonical encodings of the key and of R, and both when
   * of small order. Malformed input is `false`, not an error.
   * @param publicKey 32 bytes, or a point decoded from them
   * @param signature R, then S: 64 bytes
   */
  verifyEd25519(publicKey: Uint8Array | Point, message: Uint8Array, signature: Uint8Array): boolean;
}
