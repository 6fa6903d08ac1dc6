import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { Authority, Credential, SignedAuthority } from './authority.ts';
import { credentialId } from './credential-proof.ts';
import { digest, name, PROTOCOL, publicKey, walletId } from './field.ts';
import { bySession } from './session.ts';

/** Additional data of a wrapped client root (AES-256-GCM under a key of one credential). */
export const WrappedRootContext = schema.message(`${PROTOCOL} wrapped-root`, {
  deployment: name,
  walletId,
  credentialId,
  rootId: digest,
});

/** What is wrapped: the root, and what a device without any state needs so that it need not believe the Router. */
export const ClientRoot = schema.message(`${PROTOCOL} client-root`, {
  root: schema.bytes(32),
  pins: digest,
  keys: schema.list(schema.struct({ keyIndex: schema.u32, publicKey }), 0, 64),
});
export type ClientRoot = Infer<typeof ClientRoot.codec>;

/** One wrapped root as the Router keeps it. */
export const WrappedRoot = schema.message(`${PROTOCOL} wrapped-root-record`, {
  walletId,
  credentialId,
  rootId: digest,
  /** Nonce of 12 bytes, ciphertext, tag. */
  sealed: schema.bytesBetween(64, 4096),
});
export type WrappedRoot = Infer<typeof WrappedRoot.codec>;

/** Asks to keep a wrapped root for the credential that can open it. */
export const StoreRootStatement = schema.message(`${PROTOCOL} store-root`, {
  deployment: name,
  record: WrappedRoot.codec,
  /** As the wallet's authority has it, or will have it after the first activation. */
  credential: Credential,
  issuedAtMs: schema.timeMs,
});

/** Client → Router. `POST /v1/roots`: replaces this credential's wrapped root. */
export const StoreRoot = schema.message(`${PROTOCOL} store-root-request`, { statement: StoreRootStatement.codec, ...bySession });
export type StoreRoot = Infer<typeof StoreRoot.codec>;
export const StoreRootAnswer = schema.message(`${PROTOCOL} store-root-answer`, { stored: schema.boolean });

/** Asks for the wrapped root of the session's credential. */
export const FetchRootStatement = schema.message(`${PROTOCOL} fetch-root`, {
  deployment: name,
  walletId,
  issuedAtMs: schema.timeMs,
});

/** Client → Router. `POST /v1/roots/fetch` */
export const FetchRoot = schema.message(`${PROTOCOL} fetch-root-request`, { statement: FetchRootStatement.codec, ...bySession });
export type FetchRoot = Infer<typeof FetchRoot.codec>;

/** Router → client; the authority is believed only as far as the roles accept it. */
export const FetchRootAnswer = schema.message(`${PROTOCOL} fetch-root-answer`, {
  record: WrappedRoot.codec,
  authority: schema.optional(Authority.codec),
});
export type FetchRootAnswer = Infer<typeof FetchRootAnswer.codec>;

/** Client → Router. `POST /v1/authority`: the wallet's credentials from now on, with the root as it is wrapped for whoever is new. */
export const ChangeAuthority = schema.message(`${PROTOCOL} change-authority`, {
  update: SignedAuthority.codec,
  roots: schema.list(StoreRoot.codec, 0, LIMITS.credentialsPerAuthority),
});
export type ChangeAuthority = Infer<typeof ChangeAuthority.codec>;
