import { type Infer, schema } from '@streaming-yao/core';
import { Authority, credentialId } from './authority.ts';
import { digest, name, PROTOCOL, publicKey, signature, walletId } from './field.ts';

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

/** What a credential signs to have its wrapped root stored. */
export const StoreRootStatement = schema.message(`${PROTOCOL} store-root`, {
  deployment: name,
  record: WrappedRoot.codec,
  issuedAtMs: schema.timeMs,
});

const signer = { kind: schema.oneOf('ed25519', 'p256'), publicKey: schema.bytesBetween(32, 65), signature } as const;

/** Client → Router. `POST /v1/roots`: replaces this credential's wrapped root. */
export const StoreRoot = schema.message(`${PROTOCOL} store-root-request`, { statement: StoreRootStatement.codec, ...signer });
export type StoreRoot = Infer<typeof StoreRoot.codec>;
export const StoreRootAnswer = schema.message(`${PROTOCOL} store-root-answer`, { stored: schema.boolean });

/** What a credential signs to have its wrapped root back. */
export const FetchRootStatement = schema.message(`${PROTOCOL} fetch-root`, {
  deployment: name,
  walletId,
  credentialId,
  issuedAtMs: schema.timeMs,
});

/** Client → Router. `POST /v1/roots/fetch` */
export const FetchRoot = schema.message(`${PROTOCOL} fetch-root-request`, { statement: FetchRootStatement.codec, ...signer });
export type FetchRoot = Infer<typeof FetchRoot.codec>;

/** Router → client; the authority is believed only as far as the roles accept it. */
export const FetchRootAnswer = schema.message(`${PROTOCOL} fetch-root-answer`, {
  record: WrappedRoot.codec,
  authority: schema.optional(Authority.codec),
});
export type FetchRootAnswer = Infer<typeof FetchRootAnswer.codec>;
