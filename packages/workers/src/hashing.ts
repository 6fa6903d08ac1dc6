import { createHash, type Hash } from 'node:crypto';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Hashing } from '@streaming-yao/ceremony/role';
import { concatBytes } from '@streaming-yao/core';

/** Up to here the platform takes longer to make its hash, which is a stream, than JavaScript to compute one. */
const SHORT_BYTES = 1_536;

function digest(state: Hash, parts: readonly Uint8Array[]): Uint8Array {
  for (const part of parts) state.update(part);
  return Uint8Array.from(state.digest());
}

/** SHA-256 by the platform, a tenth of the time of the same in JavaScript, where there is much to hash. Synchronous. */
export const nativeHashing: Hashing = {
  sha256: (...parts) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return length > SHORT_BYTES ? digest(createHash('sha256'), parts) : sha256(concatBytes(...parts));
  },
  // Of tags and keys, which are short.
  hmacSha256: (key, ...parts) => hmac(sha256, key, concatBytes(...parts)),
};
