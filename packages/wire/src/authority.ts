import { sha256 } from '@noble/hashes/sha2.js';
import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { digest, label, name, PROTOCOL, walletId } from './field.ts';

/** A public key that may authorize operations: Ed25519 (32 bytes) or uncompressed P-256 (65 bytes, SEC 1). */
export const Credential = schema.struct({
  kind: schema.oneOf('ed25519', 'p256'),
  purpose: schema.oneOf('device', 'recovery'),
  publicKey: schema.bytesBetween(32, 65),
  label,
});
export type Credential = Infer<typeof Credential>;

export const credentialId = schema.bytes(16);

/** The first 16 bytes of the SHA-256 of the credential's public key. */
export function idOfCredential(credential: Pick<Credential, 'publicKey'>): Uint8Array {
  return sha256(credential.publicKey).slice(0, 16);
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

/** An authority signed by a credential of its predecessor (version 1: by one of its own). */
export const SignedAuthority = schema.message(`${PROTOCOL} signed-authority`, {
  authority: Authority.codec,
  credentialId,
  signature: schema.bytes(64),
});
export type SignedAuthority = Infer<typeof SignedAuthority.codec>;
