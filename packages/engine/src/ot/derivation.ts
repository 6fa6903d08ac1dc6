import { expand, hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { SecretBytes, utf8, Writer } from '@streaming-yao/core';

/** Every label below starts with this, so no hash of the engine meets one of another protocol. */
const DOMAIN = 'streaming-yao/1 engine ';

/** A field of a hashed transcript: bytes, text (UTF-8) or an unsigned 32-bit number. */
export type Field = Uint8Array | string | number;

/** Injective encoding of a label and fields: each behind its length, numbers as four bytes big-endian. */
export function encodeFields(label: string, fields: readonly Field[]): Uint8Array {
  const writer = new Writer();
  writer.prefixed(utf8(DOMAIN + label));
  for (const field of fields) {
    if (typeof field === 'number') writer.uint(field, 4);
    else writer.prefixed(typeof field === 'string' ? utf8(field) : field);
  }
  return writer.finish();
}

/** SHA-256 of {@link encodeFields}: 32 public bytes. */
export function digestFields(label: string, ...fields: readonly Field[]): Uint8Array {
  return sha256(encodeFields(label, fields));
}

/**
 * HKDF-Expand with SHA-256 (RFC 5869), the info {@link encodeFields}.
 * @param key 32 secret bytes, uniform
 */
export function expandKey(key: Uint8Array, length: number, label: string, ...fields: readonly Field[]): Uint8Array {
  return expand(sha256, key, encodeFields(label, fields), length);
}

/** HKDF with SHA-256 of secret material that is not uniform, such as a group element; the info is {@link encodeFields}. */
export function extractKey(material: Uint8Array, length: number, label: string, ...fields: readonly Field[]): Uint8Array {
  return hkdf(sha256, material, undefined, encodeFields(label, fields), length);
}

/** {@link expandKey} from a secret to a secret. */
export function deriveSecret(from: SecretBytes, length: number, label: string, ...fields: readonly Field[]): SecretBytes {
  return SecretBytes.own(from.use((key) => expandKey(key, length, label, ...fields)));
}
