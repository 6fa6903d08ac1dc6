import { readFileSync } from 'node:fs';
import { SecretBytes } from '@streaming-yao/core';
import { encodeScalar, L, modL } from '../src/scalar.ts';

export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
export const wasm = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL('../group.wasm', import.meta.url)));

/** Scalars at the edges: carries, digit limits of both recodings, the order's neighbours. */
export const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n,
  7n,
  8n,
  9n,
  15n,
  16n,
  127n,
  128n,
  255n,
  256n,
  2n ** 29n - 1n,
  2n ** 128n,
  2n ** 252n - 1n,
  2n ** 252n,
  (L - 1n) / 2n,
  (L + 1n) / 2n,
  L - 2n,
  L - 1n,
  // Every digit 7, 8 and 15: the longest carries of signed recoding.
  modL(BigInt(`0x${'7'.repeat(63)}`)),
  modL(BigInt(`0x${'8'.repeat(62)}`)),
  modL(BigInt(`0x0${'f'.repeat(63)}`)),
];

export const secretOf = (value: bigint): SecretBytes => SecretBytes.own(encodeScalar(value));

/** Thirty-two little-endian bytes of any integer below 2^256. */
export function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}
