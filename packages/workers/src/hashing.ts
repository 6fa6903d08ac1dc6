import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { Hashing } from '@streaming-yao/ceremony/role';

function digest(state: Hash | Hmac, parts: readonly Uint8Array[]): Uint8Array {
  for (const part of parts) state.update(part);
  return Uint8Array.from(state.digest());
}

/** The platform's own SHA-256 and HMAC: synchronous, and a tenth of the time of the same in JavaScript. */
export const nativeHashing: Hashing = {
  sha256: (...parts) => digest(createHash('sha256'), parts),
  hmacSha256: (key, ...parts) => digest(createHmac('sha256', key), parts),
};
