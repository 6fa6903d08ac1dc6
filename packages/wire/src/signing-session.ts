import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { CredentialProof } from './credential-proof.ts';
import { digest, name, nonce, PROTOCOL, signature } from './field.ts';
import { LaneEpoch } from './signing.ts';

/** What a message is, as the SigningWorker sees from its bytes; `bytes` is whatever is none of the others. */
export const MESSAGE_KINDS = [
  'solana-transaction',
  'near-transaction',
  'near-delegate',
  'near-message',
  'text',
  'bytes',
] as const;
/** One of {@link MESSAGE_KINDS}. */
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The kinds that are signed; absent for all. */
export const messageKinds = schema.optional(schema.list(schema.oneOf(...MESSAGE_KINDS), 1, MESSAGE_KINDS.length));

/** What a credential approves of: one epoch of one lane may make so many signatures, of these kinds, until then. */
export const SigningSessionStatement = schema.message(`${PROTOCOL} signing-session`, {
  deployment: name,
  lane: LaneEpoch,
  uses: schema.u32,
  kinds: messageKinds,
  issuedAtMs: schema.timeMs,
  expiresAtMs: schema.timeMs,
  nonce,
});
export type SigningSessionStatement = Infer<typeof SigningSessionStatement.codec>;

/** Client → Router → SigningWorker. `POST /v1/sessions/open`; the same request again opens nothing new. */
export const OpenSigningSession = schema.message(`${PROTOCOL} open-signing-session`, {
  statement: SigningSessionStatement.codec,
  proof: CredentialProof,
});

const SigningSession = schema.struct({
  /** The digest of its statement: a name, no secret, since the signature share proves who holds the lane. */
  sessionId: digest,
  uses: schema.u32,
  usesLeft: schema.u32,
  kinds: messageKinds,
  expiresAtMs: schema.timeMs,
});
/** An open signing session: how many signatures of which kinds it still gives, and till when; all kinds that the deployment signs where `kinds` is null. */
export type SigningSession = Infer<typeof SigningSession>;

export const OpenSigningSessionAnswer = schema.message(`${PROTOCOL} open-signing-session-answer`, { session: SigningSession });

/** What the lane key signs to see the sessions of its lane, or to close one. */
export const SigningSessionsStatement = schema.message(`${PROTOCOL} signing-sessions`, {
  deployment: name,
  lane: LaneEpoch,
  close: schema.optional(digest),
  issuedAtMs: schema.timeMs,
});

/** Client → Router → SigningWorker. `POST /v1/sessions` */
export const SigningSessionsRequest = schema.message(`${PROTOCOL} signing-sessions-request`, {
  statement: SigningSessionsStatement.codec,
  signature,
});

/** What is open now. */
export const SigningSessionsAnswer = schema.message(`${PROTOCOL} signing-sessions-answer`, {
  sessions: schema.list(SigningSession, 0, LIMITS.signingSessionsPerLane),
});
