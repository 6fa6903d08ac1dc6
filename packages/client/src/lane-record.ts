import type { Lane } from '@streaming-yao/ceremony/client';
import { SecretBytes, schema, YaoError } from '@streaming-yao/core';
import { Authority, PROTOCOL, WrappedRoot } from '@streaming-yao/wire';

const LaneRecord = schema.message(`${PROTOCOL} device-lane`, {
  walletId: schema.text(/./, 64),
  keyIndex: schema.u32,
  lane: schema.u32,
  epoch: schema.u32,
  ceremonyId: schema.bytes(32),
  publicKey: schema.bytes(32),
  share: schema.bytes(32),
  laneSeed: schema.bytes(32),
});

export const laneName = (walletId: string, keyIndex: number): string => `lane/${walletId}/${keyIndex}`;
/** A new share that is stored here and has still to be confirmed; the old one beside it signs till then. */
export const nextLaneName = (walletId: string, keyIndex: number): string => `next/${walletId}/${keyIndex}`;

export function encodeLane({ share, laneSeed, ...facts }: Lane): SecretBytes {
  return share.map((shareBytes) => laneSeed.use((seed) => LaneRecord.encode({ ...facts, share: shareBytes, laneSeed: seed })));
}

export function decodeLane(record: SecretBytes): Lane {
  const { share, laneSeed, ...facts } = record.use(LaneRecord.decode);
  return { ...facts, share: SecretBytes.own(share), laneSeed: SecretBytes.own(laneSeed) };
}

/** What a device remembers of a wallet besides its lanes. */
const WalletRecord = schema.message(`${PROTOCOL} device-wallet`, { authority: Authority.codec, wrapped: WrappedRoot.codec });

export const walletName = (walletId: string): string => `wallet/${walletId}`;

export interface WalletFacts {
  readonly authority: Authority;
  /** The client root, sealed for this device's credential: with it at hand one question to the user is enough. */
  readonly wrapped: WrappedRoot;
}

export const encodeWallet = (facts: WalletFacts): SecretBytes => SecretBytes.own(WalletRecord.encode(facts));

/** @returns `undefined` for a record of an earlier version: all that is in here can be asked for again */
export function decodeWallet(record: SecretBytes): WalletFacts | undefined {
  try {
    return record.use(WalletRecord.decode);
  } catch (error) {
    if (error instanceof YaoError && error.code !== 'secret_wiped') return undefined;
    throw error;
  }
}
