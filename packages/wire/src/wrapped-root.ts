import { type Infer, schema } from '@streaming-yao/core';
import { credentialId } from './authority.ts';
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

/** Client → Router. `POST /v1/roots`: stored once per credential and root; the credential itself signs. */
export const StoreRoot = schema.message(`${PROTOCOL} store-root`, {
  record: WrappedRoot.codec,
  kind: schema.oneOf('ed25519', 'p256'),
  publicKey: schema.bytesBetween(32, 65),
  issuedAtMs: schema.timeMs,
  signature,
});
export type StoreRoot = Infer<typeof StoreRoot.codec>;
