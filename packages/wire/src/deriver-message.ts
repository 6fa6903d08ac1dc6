import { ERROR_CODES, type ErrorCode, type Infer, LIMITS, schema } from '@streaming-yao/core';
import { digest, nonce, operation, PROTOCOL, publicKey, signature } from './field.ts';
import { RECEIPT_MAX_BYTES, Ticket } from './receipt.ts';

/** A → B, first frame. It travels before B has used the ticket, whose key tags it. */
export const Open = schema.message(`${PROTOCOL} open`, {
  ceremonyId: digest,
  grant: digest,
  operation,
  circuitId: digest,
  ticket: Ticket,
  rootVersion: schema.u32,
  garblerNonce: nonce,
});
export type Open = Infer<typeof Open.codec>;

/** B → A: the ticket is spent; OT extension matrix and its check (the engine's own encoding). */
export const Accept = schema.message(`${PROTOCOL} accept`, {
  evaluatorNonce: nonce,
  choices: schema.bytesBetween(1, LIMITS.frameBytes),
});
export type Accept = Infer<typeof Accept.codec>;

/** A → B, after the tables: projection ciphertexts (the engine's own encoding), A's commitments and package digests. */
export const Output = schema.message(`${PROTOCOL} output`, {
  outputCiphertexts: schema.optional(schema.bytesBetween(1, LIMITS.frameBytes)),
  inputCiphertexts: schema.optional(schema.bytesBetween(1, LIMITS.frameBytes)),
  commitments: schema.optional(schema.struct({ client: publicKey, signingWorker: publicKey })),
  seedCommitment: schema.optional(publicKey),
  clientPackage: digest,
  signingWorkerPackage: schema.optional(digest),
});
export type Output = Infer<typeof Output.codec>;

/** B → A: how many more table frames A may send. */
export const Credit = schema.message(`${PROTOCOL} credit`, { frames: schema.u16 });

/** B → A: the receipt and B's signature over it. */
export const ReceiptOffer = schema.message(`${PROTOCOL} receipt-offer`, {
  receipt: schema.bytesBetween(1, RECEIPT_MAX_BYTES),
  signature,
});

/** A → B: A's signature over the receipt that B offered. */
export const Cosignature = schema.message(`${PROTOCOL} cosignature`, { signature });

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Either way: the sender has given the ceremony up. */
export const Abort = schema.message(`${PROTOCOL} abort`, { code: schema.oneOf(...codes) });
