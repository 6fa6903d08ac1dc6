import { type Infer, schema } from '@streaming-yao/core';
import { CredentialProof } from './credential-proof.ts';
import { name, PROTOCOL, publicKey, signature } from './field.ts';

/**
 * A credential lends a fresh Ed25519 key, for minutes, the right to read and store its own wrapped root and to read the lanes of
 * the wallets it acts for. Whatever changes a wallet needs a proof of its own.
 */
export const SessionStatement = schema.message(`${PROTOCOL} session`, {
  deployment: name,
  sessionKey: publicKey,
  issuedAtMs: schema.timeMs,
  expiresAtMs: schema.timeMs,
});
export type SessionStatement = Infer<typeof SessionStatement.codec>;

export const Session = schema.struct({ statement: SessionStatement.codec, proof: CredentialProof });
export type Session = Infer<typeof Session>;

/** The session, and its key's signature over the request's statement. */
export const bySession = { session: Session, signature } as const;
