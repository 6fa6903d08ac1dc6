import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { Authority } from './authority.ts';
import { compactJws, digest, name, nonce, PROTOCOL, publicKey, signature, walletId } from './field.ts';
import type { JwsHeader } from './jws.ts';

/** The SigningWorker's statement that a lane stands at an epoch. */
export const Activation = schema.message(`${PROTOCOL} activation`, {
  deployment: name,
  ceremonyId: digest,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  epoch: schema.u32,
  /** `staged` until the device has stored its share and confirmed; `register` is active at once. */
  state: schema.oneOf('staged', 'active'),
  publicKey,
  /** Commitment to the SigningWorker's share. */
  serverShare: publicKey,
  laneKey: publicKey,
  atMs: schema.timeMs,
});
export type Activation = Infer<typeof Activation.codec>;

export const ACTIVATION_HEADER: JwsHeader = { typ: 'yao-activation+jws', kid: 'signing-worker' };

/** Router → Deriver after an activation, so that the key's record is no longer pending. */
export const ActivatedNotice = schema.message(`${PROTOCOL} activated`, { walletId, activation: compactJws });
export type ActivatedNotice = Infer<typeof ActivatedNotice.codec>;

/** Router → SigningWorker: who may act for the wallet and which of its keys live, for roles that have missed it. */
export const ActivationInquiry = schema.message(`${PROTOCOL} activation-inquiry`, { walletId });

/** The wallet's authority, and one activation of each of its keys. */
export const ActivationEvidence = schema.message(`${PROTOCOL} activation-evidence`, {
  authority: Authority.codec,
  activations: schema.list(compactJws, 1, LIMITS.keysPerWallet),
});
export type ActivationEvidence = Infer<typeof ActivationEvidence.codec>;

/** SigningWorker → Router. */
export const ActivationAnswer = schema.message(`${PROTOCOL} activation-answer`, { activation: compactJws });

/** What the device signs with its new share (as an Ed25519 signature under the commitment to it): it is stored durably. */
export const ConfirmStatement = schema.message(`${PROTOCOL} confirm`, {
  deployment: name,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  ceremonyId: digest,
  /** Of this request alone, so that no answer to another one passes for the answer to this. */
  nonce,
});

/** Client → Router → SigningWorker. `POST /v1/lanes/confirm` */
export const ConfirmRequest = schema.message(`${PROTOCOL} confirm-request`, {
  statement: ConfirmStatement.codec,
  possession: signature,
});
export type ConfirmRequest = Infer<typeof ConfirmRequest.codec>;

/** The SigningWorker's statement that no share of the ceremony waits to be confirmed and none is active. */
export const ConfirmRefusal = schema.message(`${PROTOCOL} confirm-refusal`, {
  /** Digest of the statement that was asked with. */
  asked: digest,
});

/**
 * SigningWorker → Router → client. A share that waits no more is told by its signature and not as an error: the client forgets its own
 * half then, on nobody else's word.
 */
export const ConfirmAnswer = schema.message(`${PROTOCOL} confirm-answer`, {
  outcome: schema.variant('state', { active: { activation: compactJws }, gone: { signature } }),
});
export type ConfirmAnswer = Infer<typeof ConfirmAnswer.codec>;
