import { type Infer, schema, YaoError } from '@streaming-yao/core';
import { Core } from './core.ts';
import { digest, nonce, PROTOCOL, publicKey, signature } from './field.ts';
import { type JwsHeader, protectedHeader } from './jws.ts';

/** One of each Deriver. */
const pair = <T>(codec: schema.Codec<T>) => schema.struct({ a: codec, b: codec });

/** Points that commit to the additive shares; their sum is the public key. */
export const ShareCommitments = schema.struct({ client: pair(publicKey), signingWorker: pair(publicKey) });

export const Ticket = schema.struct({ pairing: digest, counter: schema.u32 });
export type Ticket = Infer<typeof Ticket>;

/** What A and B both sign at the end of a ceremony. docs/protocol.md section 7. */
export const Receipt = schema.message(`${PROTOCOL} receipt`, {
  core: Core.codec,
  ceremonyId: digest,
  grant: digest,
  ticket: Ticket,
  garblerNonce: nonce,
  evaluatorNonce: nonce,
  transcript: digest,
  publicKey,
  /** Absent for `export`. */
  commitments: schema.optional(ShareCommitments),
  /** Commitments to the shares of the seed mod L; for `register` and `export` only. */
  seedCommitments: schema.optional(pair(publicKey)),
  clientPackages: pair(digest),
  /** Absent for `export`: nothing of an export goes to the SigningWorker. */
  signingWorkerPackages: schema.optional(pair(digest)),
  atMs: schema.timeMs,
});
export type Receipt = Infer<typeof Receipt.codec>;

export const RECEIPT_MAX_BYTES = 2048;

export const receiptHeader = (role: 'deriver-a' | 'deriver-b'): JwsHeader => ({ typ: 'yao-receipt+jws', kid: role });

/** A JWS in general serialisation (RFC 7515 section 7.2.1) with exactly two signatures: A's, then B's. */
export interface SignedReceipt {
  readonly payload: Uint8Array;
  readonly signatureA: Uint8Array;
  readonly signatureB: Uint8Array;
}

const part = schema.struct({ protected: schema.text(/^[A-Za-z0-9_-]+$/, 256), signature });
const general = schema.struct({ payload: schema.bytesBetween(1, RECEIPT_MAX_BYTES), signatures: schema.list(part, 2, 2) });

/** The signed receipt as JSON: the general JWS serialisation itself. */
export const signedReceiptJson: schema.Codec<SignedReceipt> = {
  write: (writer, value) => general.write(writer, toGeneral(value)),
  read: (reader) => fromGeneral(general.read(reader)),
  toJson: (value) => general.toJson(toGeneral(value)),
  fromJson: (json, path) => fromGeneral(general.fromJson(json, path)),
};

function toGeneral(receipt: SignedReceipt): Infer<typeof general> {
  return {
    payload: receipt.payload,
    signatures: [
      { protected: protectedHeader(receiptHeader('deriver-a')), signature: receipt.signatureA },
      { protected: protectedHeader(receiptHeader('deriver-b')), signature: receipt.signatureB },
    ],
  };
}

function fromGeneral({ payload, signatures }: Infer<typeof general>): SignedReceipt {
  const [a, b] = signatures;
  if (
    a?.protected !== protectedHeader(receiptHeader('deriver-a')) ||
    b?.protected !== protectedHeader(receiptHeader('deriver-b'))
  ) {
    throw new YaoError(
      'receipt_invalid',
      'a receipt carries one signature of Deriver A and then one of Deriver B, each under its fixed header',
    );
  }
  return { payload, signatureA: a.signature, signatureB: b.signature };
}
