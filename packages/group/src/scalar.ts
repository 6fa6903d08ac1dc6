import { YaoError } from '@streaming-yao/core';

/** Order of Ed25519's prime-order subgroup (RFC 8032 section 5.1). */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;

export const SCALAR_BYTES = 32;

/** Little-endian bytes of a public integer. */
export function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = bytes.length;
  for (; offset >= 8; offset -= 8) value = (value << 64n) | view.getBigUint64(offset - 8, true);
  for (; offset > 0; offset--) value = (value << 8n) | BigInt(bytes[offset - 1] as number);
  return value;
}

/** A public scalar from its 32 canonical little-endian bytes. @throws YaoError `invalid_scalar` */
export function decodeScalar(bytes: Uint8Array): bigint {
  if (bytes.length !== SCALAR_BYTES) throw invalidScalar(`a scalar has ${SCALAR_BYTES} bytes, not ${bytes.length}`);
  const value = littleEndian(bytes);
  if (value >= L) throw invalidScalar('a scalar must be below the group order; encode it canonically');
  return value;
}

/** Any public little-endian bytes, mod L: how a hash becomes a scalar. */
export function decodeWideScalar(bytes: Uint8Array): bigint {
  return littleEndian(bytes) % L;
}

/** The 32 little-endian bytes of a public scalar. @throws YaoError `invalid_scalar` unless 0 <= value < L */
export function encodeScalar(value: bigint): Uint8Array {
  if (value < 0n || value >= L) throw invalidScalar('a scalar must be at least 0 and below the group order');
  const view = new DataView(new ArrayBuffer(SCALAR_BYTES));
  for (let i = 0; i < 4; i++) view.setBigUint64(8 * i, (value >> BigInt(64 * i)) & 0xffff_ffff_ffff_ffffn, true);
  return new Uint8Array(view.buffer);
}

/** Any public integer mod L, at least 0. */
export function modL(value: bigint): bigint {
  const rest = value % L;
  return rest < 0n ? rest + L : rest;
}

/** value to the power -1 mod L, of a public scalar. @throws YaoError `invalid_scalar` for zero */
export function invertScalar(value: bigint): bigint {
  let [remainder, next] = [L, modL(value)];
  if (next === 0n) throw invalidScalar('zero has no inverse');
  let [coefficient, nextCoefficient] = [0n, 1n];
  while (next !== 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient];
  }
  return modL(coefficient);
}

export function invalidScalar(message: string): YaoError {
  return new YaoError('invalid_scalar', message);
}
