import { sha256 } from '@noble/hashes/sha2.js';
import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { CredentialProof } from './credential-proof.ts';
import { digest, label, name, PROTOCOL, walletId } from './field.ts';

const common = {
  purpose: schema.oneOf('device', 'recovery'),
  /** Ed25519 (32 bytes) or uncompressed P-256 (65 bytes, SEC 1). */
  publicKey: schema.bytesBetween(32, 65),
  label,
} as const;

/** Who may authorize operations: the holder of a key, or of a passkey (WebAuthn, ES256) with its WebAuthn credential id. */
export const Credential = schema.variant('kind', {
  ed25519: common,
  p256: common,
  passkey: { ...common, passkeyId: schema.bytesBetween(1, 1023) },
});
export type Credential = Infer<typeof Credential>;
export type PasskeyCredential = Extract<Credential, { readonly kind: 'passkey' }>;

/**
 * The first 16 bytes of a SHA-256: of the public key, or of a passkey's own id, since a device that meets the user's passkey for
 * the first time learns that id and not the key.
 */
export function idOfCredential(credential: Pick<Credential, 'publicKey'> | Pick<PasskeyCredential, 'passkeyId'>): Uint8Array {
  return sha256('passkeyId' in credential ? credential.passkeyId : credential.publicKey).slice(0, 16);
}

/** Who may act for a wallet. Version 1 has no predecessor; each later one names the digest of the one before. */
export const Authority = schema.message(`${PROTOCOL} authority`, {
  deployment: name,
  walletId,
  version: schema.u32,
  previous: schema.optional(digest),
  credentials: schema.list(Credential, 1, LIMITS.credentialsPerAuthority),
});
export type Authority = Infer<typeof Authority.codec>;

/**
 * An authority approved by a credential of its predecessor. A wallet's first one has no proof of its own: the registration that
 * names its digest is authorized by one of its credentials.
 */
export const SignedAuthority = schema.message(`${PROTOCOL} signed-authority`, {
  authority: Authority.codec,
  proof: schema.optional(CredentialProof),
});
export type SignedAuthority = Infer<typeof SignedAuthority.codec>;
