import type { SecretBytes } from '@streaming-yao/core';
import { ED25519_ORDER, numberToLittleEndian, SCALAR_BYTES } from './share/modulus.ts';

const ORDER = numberToLittleEndian(ED25519_ORDER, SCALAR_BYTES);
/** Bit 254, which clamping sets in every scalar (RFC 8032, section 5.1.5). */
const FIXED_BIT = numberToLittleEndian(2n ** 254n % ED25519_ORDER, SCALAR_BYTES);

/** `left - right` in 32 bytes, and the mask of all ones when it is negative. */
function subtract(left: Uint8Array, right: Uint8Array): { difference: Uint8Array; negative: number } {
  const difference = new Uint8Array(SCALAR_BYTES);
  let borrow = 0;
  for (let i = 0; i < SCALAR_BYTES; i++) {
    borrow += left[i]! - right[i]!;
    difference[i] = borrow;
    borrow >>= 8;
  }
  return { difference, negative: borrow };
}

/** `share + 2^254` modulo the Ed25519 order, without a branch on the share. */
export function addFixedBit(share: SecretBytes): SecretBytes {
  return share.map((bytes) => {
    const sum = new Uint8Array(SCALAR_BYTES);
    let carry = 0;
    for (let i = 0; i < SCALAR_BYTES; i++) {
      carry += bytes[i]! + FIXED_BIT[i]!;
      sum[i] = carry;
      carry >>= 8;
    }
    const { difference, negative } = subtract(sum, ORDER);
    const reduced = difference.map((byte, i) => (byte & ~negative) | (sum[i]! & negative));
    sum.fill(0);
    difference.fill(0);
    return reduced;
  });
}
