import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealer } from '@streaming-yao/ceremony/role';
import { concatBytes, SecretBytes, YaoError } from '@streaming-yao/core';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals records at rest with AES-256-GCM (NIST SP 800-38D): nonce of 12 random bytes, ciphertext, tag of 16.
 * One key stays within the standard's bound for random nonces for 2^32 records.
 * @param storageKey 32 bytes, kept
 */
export function createSealer(storageKey: SecretBytes): Sealer {
  return {
    seal: (aad, secret) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = storageKey.use((key) => createCipheriv('aes-256-gcm', key, nonce)).setAAD(aad);
      const ciphertext = secret.use((bytes) => cipher.update(bytes));
      return concatBytes(nonce, ciphertext, cipher.final(), cipher.getAuthTag());
    },
    open: (aad, sealed) => {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) throw rejected();
      const end = sealed.length - TAG_BYTES;
      const decipher = storageKey.use((key) => createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)));
      decipher.setAAD(aad).setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, end));
      try {
        decipher.final();
      } catch {
        plaintext.fill(0);
        throw rejected();
      }
      return SecretBytes.own(Uint8Array.from(plaintext));
    },
  };
}

function rejected(): YaoError {
  return new YaoError('internal', 'a sealed record was changed, moved, or sealed under another storage key');
}
