import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { digest, nonce, PROTOCOL, publicKey, scalar, signature, walletId } from './field.ts';

/** Names a lane of a key. */
export const LaneName = schema.struct({ walletId, keyIndex: schema.u32, lane: schema.u32 });
export type LaneName = Infer<typeof LaneName>;

/** Names one epoch of one lane. */
export const LaneEpoch = schema.struct({ walletId, keyIndex: schema.u32, lane: schema.u32, epoch: schema.u32 });
export type LaneEpoch = Infer<typeof LaneEpoch>;

/** The SigningWorker's nonce commitments (RFC 9591 section 5.1), good for one signature. */
export const Presign = schema.struct({ presignId: digest, hiding: publicKey, binding: publicKey, expiresAtMs: schema.timeMs });
export type Presign = Infer<typeof Presign>;

const presigns = schema.list(Presign, 0, LIMITS.presignsPerPrepare);

/** `POST /router-ab/ed25519/sign/prepare`, signed by the lane key. */
export const PrepareStatement = schema.message(`${PROTOCOL} sign-prepare`, {
  lane: LaneEpoch,
  count: schema.u8,
  issuedAtMs: schema.timeMs,
  nonce,
});
export const PrepareRequest = schema.message(`${PROTOCOL} sign-prepare-request`, {
  statement: PrepareStatement.codec,
  signature,
});
export type PrepareRequest = Infer<typeof PrepareRequest.codec>;
export const PrepareAnswer = schema.message(`${PROTOCOL} sign-prepare-answer`, { presigns });
export type PrepareAnswer = Infer<typeof PrepareAnswer.codec>;

/** `POST /router-ab/ed25519/sign`. The signature share is the proof that the caller holds the lane. */
export const SignRequest = schema.message(`${PROTOCOL} sign-request`, {
  lane: LaneEpoch,
  presignId: digest,
  message: schema.bytesBetween(0, LIMITS.signedMessageBytes),
  hiding: publicKey,
  binding: publicKey,
  signatureShare: scalar,
  /** What `message` is the SHA-256 of, where a chain signs digests: only from it can be seen what is signed. */
  preimage: schema.optional(schema.bytesBetween(0, LIMITS.signedMessageBytes)),
  /** The signing session that the signature counts in. */
  session: schema.optional(digest),
  /** Presigns that the answer may bring for later signatures. */
  wanted: schema.u8,
  expiresAtMs: schema.timeMs,
});
export type SignRequest = Infer<typeof SignRequest.codec>;

interface AboutLane {
  readonly lane?: unknown;
}

/**
 * Whom a signing request is about, for whoever only passes it on: the message, which may be long, stays unread.
 * @throws YaoError `invalid_request`, `unknown_field` when the lane is malformed
 */
export function walletOfSigning(json: unknown): string {
  return LaneEpoch.fromJson((json as AboutLane | null | undefined)?.lane, 'sign-request.lane').walletId;
}

export const SignAnswer = schema.message(`${PROTOCOL} sign-answer`, {
  signature,
  presigns,
  /** Of the session that was named. */
  usesLeft: schema.optional(schema.u32),
});
export type SignAnswer = Infer<typeof SignAnswer.codec>;

/**
 * `POST /router-ab/ed25519/sign/share`, signed by the lane key: signs where no presign is at hand. The client's commitments come
 * first, and what the SigningWorker answers with is enough to complete the signature.
 */
export const SignatureShareStatement = schema.message(`${PROTOCOL} signature-share`, {
  lane: LaneEpoch,
  message: schema.bytesBetween(0, LIMITS.signedMessageBytes),
  hiding: publicKey,
  binding: publicKey,
  /** See {@link SignRequest}. */
  preimage: schema.optional(schema.bytesBetween(0, LIMITS.signedMessageBytes)),
  /** See {@link SignRequest}. */
  session: schema.optional(digest),
  /** A presign that the client holds and would like to know still good. */
  held: schema.optional(digest),
  issuedAtMs: schema.timeMs,
});
export const SignatureShareRequest = schema.message(`${PROTOCOL} signature-share-request`, {
  statement: SignatureShareStatement.codec,
  signature,
});
export type SignatureShareRequest = Infer<typeof SignatureShareRequest.codec>;

/** See {@link walletOfSigning}. */
export function walletOfSignatureShare(json: unknown): string {
  const statement = (json as { readonly statement?: AboutLane } | null | undefined)?.statement;
  return LaneEpoch.fromJson(statement?.lane, 'signature-share-request.statement.lane').walletId;
}

/** The SigningWorker's commitments and signature share (RFC 9591 sections 5.1 and 5.2), for this one message. */
export const SignatureShareAnswer = schema.message(`${PROTOCOL} signature-share-answer`, {
  hiding: publicKey,
  binding: publicKey,
  signatureShare: scalar,
  /** Whether the presign that the client holds is still good. */
  held: schema.boolean,
  /** Of the session that was named. */
  usesLeft: schema.optional(schema.u32),
});
export type SignatureShareAnswer = Infer<typeof SignatureShareAnswer.codec>;
