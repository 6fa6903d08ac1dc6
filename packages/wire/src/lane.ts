import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { Authority, SignedAuthority } from './authority.ts';
import { CredentialProof } from './credential-proof.ts';
import { deviceName, digest, name, nonce, PROTOCOL, publicKey, signature, walletId } from './field.ts';
import { bySession } from './session.ts';

/** Asks for the lanes of a key. */
export const LanesStatement = schema.message(`${PROTOCOL} lanes`, {
  deployment: name,
  walletId,
  keyIndex: schema.u32,
  issuedAtMs: schema.timeMs,
});
/** Client → Router → SigningWorker. `POST /v1/lanes` */
export const LanesRequest = schema.message(`${PROTOCOL} lanes-request`, {
  statement: LanesStatement.codec,
  /** Who asks: a session of one of the wallet's credentials, or the device of one of the key's lanes. */
  reader: schema.variant('kind', { session: bySession, lane: { lane: schema.u32, signature } }),
});
export type LanesRequest = Infer<typeof LanesRequest.codec>;

const LaneFacts = schema.struct({
  lane: schema.u32,
  epoch: schema.u32,
  ceremonyId: digest,
  laneKey: publicKey,
  activatedAtMs: schema.timeMs,
  /** What its device is called, if somebody has named it. */
  name: schema.optional(deviceName),
});

export const LanesAnswer = schema.message(`${PROTOCOL} lanes-answer`, {
  /** Digest of the statement that was asked with: no list of another time or key passes for this one. */
  asked: digest,
  /** Absent where the wallet has no such key. */
  key: schema.optional(schema.struct({ publicKey, nextLane: schema.u32, lanes: schema.list(LaneFacts, 0, LIMITS.lanesPerKey) })),
  authority: Authority.codec,
});
export type LanesAnswer = Infer<typeof LanesAnswer.codec>;

/** The SigningWorker's signature over the answer: whoever relays it can change neither a lane nor its name. */
export const SignedLanes = schema.message(`${PROTOCOL} signed-lanes`, { answer: LanesAnswer.codec, signature });
export type SignedLanes = Infer<typeof SignedLanes.codec>;

/** Names a lane's device. Of two the later one stands. */
export const NameStatement = schema.message(`${PROTOCOL} name-lane`, {
  deployment: name,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  name: deviceName,
  issuedAtMs: schema.timeMs,
});
/** Client → Router → SigningWorker. `POST /v1/lanes/name` */
export const NameRequest = schema.message(`${PROTOCOL} name-lane-request`, {
  statement: NameStatement.codec,
  /** Who names: one of the wallet's credentials, or the lane's own device with the lane key. */
  author: schema.variant('kind', { credential: { proof: CredentialProof }, lane: { signature } }),
});
export type NameRequest = Infer<typeof NameRequest.codec>;
export const NameAnswer = schema.message(`${PROTOCOL} name-lane-answer`, { lane: schema.u32 });

/** What a credential approves of to end a lane. */
export const RevokeStatement = schema.message(`${PROTOCOL} revoke`, {
  deployment: name,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  issuedAtMs: schema.timeMs,
  nonce,
});
/** Client → Router → SigningWorker. `POST /v1/lanes/revoke` */
export const RevokeRequest = schema.message(`${PROTOCOL} revoke-request`, {
  statement: RevokeStatement.codec,
  proof: CredentialProof,
});
export type RevokeRequest = Infer<typeof RevokeRequest.codec>;
export const RevokeAnswer = schema.message(`${PROTOCOL} revoke-answer`, { lane: schema.u32 });

/** Router → Derivers and SigningWorker. `POST /authority`: the wallet's credentials from now on. */
export const AuthorityRequest = schema.message(`${PROTOCOL} authority-request`, { update: SignedAuthority.codec });
export type AuthorityRequest = Infer<typeof AuthorityRequest.codec>;
export const AuthorityAnswer = schema.message(`${PROTOCOL} authority-answer`, { version: schema.u32 });
