import { createCipheriv, createDecipheriv, createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { Hashing, Sealer } from '@streaming-yao/ceremony/role';
import { concatBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Tape } from './tape.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM at rest, its nonces from a tape: nonce, ciphertext, tag. */
export function createSealer(storageKey: SecretBytes, tape: Tape): Sealer {
  return {
    seal: (aad, secret) => {
      const nonce = tape.bytes(NONCE_BYTES);
      const cipher = storageKey.use((key) => createCipheriv('aes-256-gcm', key, nonce)).setAAD(aad);
      const ciphertext = secret.use((bytes) => cipher.update(bytes));
      return concatBytes(nonce, ciphertext, cipher.final(), cipher.getAuthTag());
    },
    open: (aad, sealed) => {
      const end = sealed.length - TAG_BYTES;
      const decipher = storageKey.use((key) => createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)));
      decipher.setAAD(aad).setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, end));
      try {
        decipher.final();
      } catch {
        throw new YaoError('internal', 'a sealed record was changed, moved, or sealed under another storage key');
      }
      return SecretBytes.own(Uint8Array.from(plaintext));
    },
  };
}

function digest(state: Hash | Hmac, parts: readonly Uint8Array[]): Uint8Array {
  for (const part of parts) state.update(part);
  return Uint8Array.from(state.digest());
}

export const hashing: Hashing = {
  sha256: (...parts) => digest(createHash('sha256'), parts),
  hmacSha256: (key, ...parts) => digest(createHmac('sha256', key), parts),
};
