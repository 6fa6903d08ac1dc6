import { type Infer, schema } from '@streaming-yao/core';
import { digest, name, nonce, operation, PROTOCOL, profile, publicKey, walletId } from './field.ts';

/** What is asked for. Its digest is what the user authorizes; every role recomputes it. docs/protocol.md section 7. */
export const Core = schema.message(`${PROTOCOL} core`, {
  suite: schema.oneOf('ed25519-sha512-halfgates-blake3'),
  profile,
  deployment: name,
  circuitId: digest,
  operation,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  /** The lane's epoch that this operation replaces; 0 where the lane is new or not concerned. */
  expectedEpoch: schema.u32,
  /** The key's registered public key; absent for `register` only. */
  registeredKey: schema.optional(publicKey),
  /** Whether the activation retires every other lane of the key. */
  retireOtherLanes: schema.boolean,
  authority: digest,
  deriverAKeyId: name,
  deriverBKeyId: name,
  signingWorkerKeyId: name,
  clientNonce: nonce,
  issuedAtMs: schema.timeMs,
  expiresAtMs: schema.timeMs,
  /** HPKE key of the device that shall hold the new share (export: the seed). */
  recipientKey: publicKey,
  /** Ed25519 key with which that device signs the lane's later requests. */
  laneKey: publicKey,
  /** Ed25519 key, fresh in this ceremony, that signs the ceremony id. */
  requesterKey: publicKey,
});
export type Core = Infer<typeof Core.codec>;

/** Core and both envelopes: any change makes another ceremony. */
const CeremonyIdentity = schema.message(`${PROTOCOL} ceremony`, { core: digest, envelopeA: digest, envelopeB: digest });

/** @returns the ceremony id, 32 bytes */
export function ceremonyIdOf(core: Core, envelopeDigests: { readonly a: Uint8Array; readonly b: Uint8Array }): Uint8Array {
  return CeremonyIdentity.digest({ core: Core.digest(core), envelopeA: envelopeDigests.a, envelopeB: envelopeDigests.b });
}
