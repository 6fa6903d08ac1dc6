import { sha256 } from '@noble/hashes/sha2.js';
import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { digest, PROTOCOL, signature } from './field.ts';

/** Names a credential of an authority. */
export const credentialId = schema.bytes(16);

/** A passkey's answer (WebAuthn section 7.2): what the authenticator signed, and its DER-encoded ES256 signature. */
const assertion = {
  authenticatorData: schema.bytesBetween(37, 1024),
  clientDataJson: schema.bytesBetween(1, 2048),
  signature: schema.bytesBetween(8, 72),
  /** SHA-256 of each statement, where the answer covers several. */
  batch: schema.list(digest, 0, LIMITS.assertedStatements),
} as const;

/** Shows that a credential approved of a statement. */
export const CredentialProof = schema.struct({
  credentialId,
  evidence: schema.variant('kind', {
    /** Over the statement: Ed25519, or ES256 as r and s. */
    signature: { signature },
    assertion,
  }),
});
export type CredentialProof = Infer<typeof CredentialProof>;
export type Assertion = Extract<CredentialProof['evidence'], { readonly kind: 'assertion' }>;

/** What an authenticator is asked to sign for several statements at once. */
const Batch = schema.message(`${PROTOCOL} batch`, { digests: schema.list(digest, 2, LIMITS.assertedStatements) });

/** The WebAuthn challenge for a list of statements' digests: of one the digest itself, of several that of the list. */
export function challengeOf(digests: readonly Uint8Array[]): Uint8Array {
  const [only] = digests;
  return only && digests.length === 1 ? only : Batch.digest({ digests });
}

export const statementDigest = (statement: Uint8Array): Uint8Array => sha256(statement);
