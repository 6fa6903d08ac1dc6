import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { SignedAuthority } from './authority.ts';
import { Authorization } from './authorization.ts';
import { Core } from './core.ts';
import { envelope } from './envelope.ts';
import { compactJws, digest, name, type Operation, operation, PROTOCOL, signature, walletId } from './field.ts';
import { SignedHpkeKey } from './hpke-key.ts';
import { RECEIPT_MAX_BYTES, signedReceiptJson } from './receipt.ts';
import { Timeline } from './timeline.ts';
import { StoreRoot } from './wrapped-root.ts';

const authorityUpdates = schema.list(SignedAuthority.codec, 0, 4);
/** Whether the roles shall note which messages pass them, for the client to look at. No part of the ceremony's id. */
const timeline = schema.boolean;
/** HPKE ciphertext of one 32-byte share. */
export const outputPackage = envelope;

/** WebSocket payload bytes between the Derivers in one ceremony. */
export const Traffic = schema.struct({ aToB: schema.u32, bToA: schema.u32 });
export type Traffic = Infer<typeof Traffic>;

/** Client → Router. `POST /v1/ceremonies` */
export const CeremonyRequest = schema.message(`${PROTOCOL} ceremony-request`, {
  core: Core.codec,
  envelopeA: envelope,
  envelopeB: envelope,
  authorization: Authorization,
  authorityUpdates,
  /** What the Router stores before anybody else hears of the ceremony; no part of the ceremony's id. */
  roots: schema.list(StoreRoot.codec, 0, LIMITS.credentialsPerAuthority),
  timeline,
});
export type CeremonyRequest = Infer<typeof CeremonyRequest.codec>;

/** Of what a request names in its core only what {@link walletOfCore} and {@link operationOfCore} read. */
const named = (json: unknown, field: 'walletId' | 'operation'): unknown =>
  (json as { readonly core?: Readonly<Record<string, unknown>> | null } | null | undefined)?.core?.[field];

/**
 * The wallet of a request with a core, for whoever only passes it on: the rest stays unread.
 * @throws YaoError `invalid_request`
 */
export const walletOfCore = (json: unknown): string => walletId.fromJson(named(json, 'walletId'), 'core.walletId');

/** Its operation. @throws YaoError `invalid_request` */
export const operationOfCore = (json: unknown): Operation => operation.fromJson(named(json, 'operation'), 'core.operation');

/** Router → client: what the device needs to accept its new share, or the seed. */
export const CeremonyAnswer = schema.message(`${PROTOCOL} ceremony-answer`, {
  ceremonyId: digest,
  receipt: signedReceiptJson,
  packageA: outputPackage,
  packageB: outputPackage,
  /** The SigningWorker's signed activation receipt; absent for `export`. */
  activation: schema.optional(compactJws),
  traffic: Traffic,
  /** Of Router, Deriver A and Deriver B; none where it was not asked for. */
  timelines: schema.list(Timeline, 0, 3),
});
export type CeremonyAnswer = Infer<typeof CeremonyAnswer.codec>;

/** Router → client with 202, for a request with `Prefer: respond-async`: where to follow the ceremony. */
export const CeremonyHandle = schema.message(`${PROTOCOL} ceremony-handle`, {
  ceremonyId: digest,
  follow: schema.text(/^\/[a-z0-9/]+$/, 64),
});

/** What the requester key or the lane key of a ceremony's core signs to follow it. */
export const FollowStatement = schema.message(`${PROTOCOL} follow`, {
  deployment: name,
  walletId,
  ceremonyId: digest,
  issuedAtMs: schema.timeMs,
});

/** Client → Router. `POST /v1/ceremonies/follow` */
export const FollowRequest = schema.message(`${PROTOCOL} follow-request`, { statement: FollowStatement.codec, signature });
export type FollowRequest = Infer<typeof FollowRequest.codec>;

/** Router → client: where the ceremony stands. */
export const FollowAnswer = schema.message(`${PROTOCOL} follow-answer`, {
  operation,
  state: schema.oneOf('running', 'completed', 'failed'),
  answer: schema.optional(CeremonyAnswer.codec),
  /** The error's code where it failed. */
  failure: schema.optional(schema.text(/^[a-z_]+$/, 64)),
});
export type FollowAnswer = Infer<typeof FollowAnswer.codec>;

/** Router → Deriver: the request with only the Deriver's own envelope, and the Router's grant. */
export const DeriverCall = schema.message(`${PROTOCOL} deriver-call`, {
  core: Core.codec,
  envelope,
  peerEnvelope: digest,
  authorization: Authorization,
  authorityUpdates,
  grant: compactJws,
  signingWorkerKey: SignedHpkeKey.codec,
  timeline,
});
export type DeriverCall = Infer<typeof DeriverCall.codec>;

/** Deriver → Router. */
export const DeriverAnswer = schema.message(`${PROTOCOL} deriver-answer`, {
  ceremonyId: digest,
  /** The receipt's encoding, which both Derivers sign. */
  receipt: schema.bytesBetween(1, RECEIPT_MAX_BYTES),
  /** Absent while B has not heard from A: nobody waits for that. */
  signatureA: schema.optional(signature),
  signatureB: signature,
  clientPackage: outputPackage,
  signingWorkerPackage: schema.optional(outputPackage),
  /** As this Deriver counted it. */
  traffic: Traffic,
  timeline: schema.optional(Timeline),
});
export type DeriverAnswer = Infer<typeof DeriverAnswer.codec>;

/** Router → SigningWorker: both server packages at once. */
export const ActivationCall = schema.message(`${PROTOCOL} activation-call`, {
  core: Core.codec,
  envelopeA: digest,
  envelopeB: digest,
  authorization: Authorization,
  authorityUpdates,
  grant: compactJws,
  receipt: signedReceiptJson,
  packageA: outputPackage,
  packageB: outputPackage,
});
export type ActivationCall = Infer<typeof ActivationCall.codec>;

/** Router → B when A has refused: nobody will open the stream of this ceremony. */
export const Cancellation = schema.message(`${PROTOCOL} cancellation`, { walletId, ceremonyId: digest });
