import { ed25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type SecretBytes, utf8 } from '@streaming-yao/core';
import { type Credential as CredentialRecord, idOfCredential } from '@streaming-yao/wire';

/** Something the user has: it authorizes operations and unwraps the client root. */
export interface Credential {
  readonly record: CredentialRecord;
  readonly id: Uint8Array;
  /** Signs, asking the user where it has to: 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** Key that wraps the client root for this credential: 32 bytes. */
  wrappingKey(): Promise<SecretBytes>;
}

/**
 * An Ed25519 credential: a device key, or the recovery phrase's key. Its secret yields two keys, one that signs and one that
 * wraps, so that neither tells anything about the other.
 * @param secret 32 bytes of full entropy; copied
 */
export function ed25519Credential(secret: SecretBytes, purpose: CredentialRecord['purpose'], label: string): Credential {
  const derive = (use: string): SecretBytes =>
    secret.map((bytes) => hkdf(sha256, bytes, undefined, utf8(`streaming-yao/1 credential ${use}`), 32));
  const seed = derive('signing');
  const record: CredentialRecord = {
    kind: 'ed25519',
    purpose,
    publicKey: seed.use((bytes) => ed25519.getPublicKey(bytes)),
    label,
  };
  const wrapping = derive('wrapping');
  return {
    record,
    id: idOfCredential(record),
    sign: async (message) => seed.use((bytes) => ed25519.sign(message, bytes)),
    wrappingKey: async () => wrapping.map((bytes) => bytes.slice()),
  };
}
