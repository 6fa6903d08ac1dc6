import { base64urlnopad } from '@scure/base';
import { YaoError } from './error.ts';

export { bytesToHex as toHex, concatBytes, hexToBytes as fromHex } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Unpadded base64url (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return base64urlnopad.encode(bytes);
}

/**
 * Decodes unpadded base64url. Non-canonical trailing bits, padding and foreign characters are refused.
 * @throws YaoError `invalid_request`
 */
export function fromBase64Url(text: string): Uint8Array {
  try {
    return base64urlnopad.decode(text);
  } catch {
    throw new YaoError('invalid_request', 'expected unpadded base64url');
  }
}

/** Compares in time that depends on the lengths only. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let i = 0; i < left.length; i++) difference |= (left[i] as number) ^ (right[i] as number);
  return difference === 0;
}

/** A new array holding the bytewise XOR of two arrays of one length. */
export function xorBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== right.length) throw new RangeError(`cannot XOR ${left.length} with ${right.length} bytes`);
  return left.map((byte, i) => byte ^ (right[i] as number));
}
