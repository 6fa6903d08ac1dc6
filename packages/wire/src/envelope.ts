import { concatBytes, schema, utf8 } from '@streaming-yao/core';
import { PROTOCOL } from './field.ts';
import type { Role } from './role.ts';

/** HPKE base mode: encapsulated key 32 bytes, ciphertext of a 32-byte value, tag 16 bytes. */
export const ENVELOPE_BYTES = 32 + 32 + 16;
export const envelope = schema.bytes(ENVELOPE_BYTES);

/** HPKE `info` of a client's input for a Deriver; the AAD is the digest of the core. */
export function inputInfo(role: 'deriver-a' | 'deriver-b'): Uint8Array {
  return utf8(`${PROTOCOL} input for ${role}`);
}

/** HPKE `info` of an output package; the AAD is {@link PackageContext} encoded. */
export function packageInfo(source: Role, recipient: 'client' | 'signing-worker'): Uint8Array {
  return concatBytes(utf8(`${PROTOCOL} package from ${source} for ${recipient}`));
}
