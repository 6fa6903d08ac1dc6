import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type SecretBytes, utf8 } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { type CredentialProof, type Credential as CredentialRecord, idOfCredential } from '@streaming-yao/wire';

/** What one question to the user yields. */
export interface Proven {
  /** One for each statement, in their order. */
  readonly proofs: readonly CredentialProof[];
  /** Key that wraps the client root for this credential: 32 bytes. The caller wipes it. */
  readonly wrappingKey: SecretBytes;
}

/** Something the user has: it approves of operations and unwraps the client root. */
export interface Credential {
  readonly id: Uint8Array;
  /** As an authority names it; absent for a passkey that this device has only just met. */
  readonly record: CredentialRecord | undefined;
  /** Whether it answers without asking anybody. */
  readonly unattended?: boolean;
  /**
   * Approves of one to `LIMITS.assertedStatements` statements with one question to the user, where there is one to ask.
   * @throws YaoError `approval_declined`, `prf_unavailable`
   */
  prove(statements: readonly Uint8Array[]): Promise<Proven>;
}

/** A credential whose public key this device knows. */
export type KnownCredential = Credential & { readonly record: CredentialRecord };

/**
 * An Ed25519 credential: a device key, or the recovery phrase's key. Its secret yields two keys, one that signs and one that
 * wraps, so that neither tells anything about the other.
 * @param secret 32 bytes of full entropy; copied
 */
export function ed25519Credential(
  group: Group,
  secret: SecretBytes,
  purpose: CredentialRecord['purpose'],
  label: string,
): KnownCredential {
  const derive = (use: string): SecretBytes =>
    secret.map((bytes) => hkdf(sha256, bytes, undefined, utf8(`streaming-yao/1 credential ${use}`), 32));
  const seed = derive('signing');
  const record = { kind: 'ed25519', purpose, publicKey: group.ed25519PublicKey(seed), label } as const;
  const id = idOfCredential(record);
  const wrapping = derive('wrapping');
  const proofOf = (statement: Uint8Array): CredentialProof => ({
    credentialId: id,
    evidence: { kind: 'signature', signature: group.signEd25519(seed, statement) },
  });
  return {
    record,
    id,
    unattended: true,
    prove: async (statements) => ({ proofs: statements.map(proofOf), wrappingKey: wrapping.map((bytes) => bytes.slice()) }),
  };
}
