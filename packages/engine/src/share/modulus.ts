import { YaoError } from '@streaming-yao/core';

/** Order of the Ed25519 base point (RFC 8032, section 5.1). */
export const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Bytes of one scalar, little-endian. */
export const SCALAR_BYTES = 32;

/** Non-negative representative of `value` modulo `modulus`. */
export const reduce = (value: bigint, modulus: bigint): bigint => ((value % modulus) + modulus) % modulus;

export function littleEndianToNumber(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** `value` below 2^(8 * length) as little-endian bytes. */
export function numberToLittleEndian(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/**
 * Whether each 32-byte little-endian scalar in `scalars` is below `modulus`. For public values: stops at the first that is not.
 */
export function allCanonical(scalars: Uint8Array, modulus: bigint): boolean {
  const limit = numberToLittleEndian(modulus, SCALAR_BYTES);
  for (let start = 0; start < scalars.length; start += SCALAR_BYTES) {
    let i = SCALAR_BYTES - 1;
    while (i > 0 && scalars[start + i] === limit[i]) i--;
    if (scalars[start + i]! >= limit[i]!) return false;
  }
  return true;
}

/**
 * Powers of two as projection weights, 32 bytes little-endian each: 2^first, 2^(first + 1), ...
 * @throws YaoError `invalid_request` for a modulus the projection cannot use
 */
export function bitWeights(first: number, count: number, modulus: bigint = ED25519_ORDER): Uint8Array {
  checkModulus(modulus);
  const weights = new Uint8Array(SCALAR_BYTES * count);
  let weight = reduce(1n << BigInt(first), modulus);
  for (let i = 0; i < count; i++, weight = (weight * 2n) % modulus) {
    weights.set(numberToLittleEndian(weight, SCALAR_BYTES), SCALAR_BYTES * i);
  }
  return weights;
}

/** @throws YaoError `invalid_request` unless `modulus` is odd and between 2^128 and 2^256 */
export function checkModulus(modulus: bigint): void {
  if (modulus % 2n === 1n && modulus > 2n ** 128n && modulus < 2n ** 256n) return;
  throw new YaoError('invalid_request', 'the modulus must be an odd prime between 2^128 and 2^256');
}
