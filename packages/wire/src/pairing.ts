import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { name, PROTOCOL, profile, signature } from './field.ts';

/** What a pairing of the two Derivers is for; hashed into all its keys. */
export const PairingContext = schema.message(`${PROTOCOL} pairing`, {
  deployment: name,
  profile,
  shard: schema.u16,
  issuedAtMs: schema.timeMs,
  expiresAtMs: schema.timeMs,
  tickets: schema.u32,
});
export type PairingContext = Infer<typeof PairingContext.codec>;

const otMessage = schema.bytesBetween(1, LIMITS.frameBytes);

/** A → B: context, A's base OT message, and A's signature over both. */
export const PairingRequest = schema.message(`${PROTOCOL} pairing-request`, {
  context: PairingContext.codec,
  message: otMessage,
  signature,
});
export type PairingRequest = Infer<typeof PairingRequest.codec>;

/** B → A: B's base OT message and B's signature over the whole exchange. */
export const PairingReply = schema.message(`${PROTOCOL} pairing-reply`, { reply: otMessage, signature });
export type PairingReply = Infer<typeof PairingReply.codec>;

/** What A signs, and with `reply` what B signs. */
export const PairingTranscript = schema.message(`${PROTOCOL} pairing-transcript`, {
  context: PairingContext.codec,
  message: otMessage,
  reply: schema.optional(otMessage),
});
