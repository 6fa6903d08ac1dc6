import type { Lane } from '@streaming-yao/ceremony/client';
import { ofThisVersion, SecretBytes, schema } from '@streaming-yao/core';
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

/** Name of the record that holds the share with which this device signs. */
export const laneName = (walletId: string, keyIndex: number): string => `lane/${walletId}/${keyIndex}`;
/** A new share that is stored here and has still to be confirmed; the old one beside it signs till then. */
export const nextLaneName = (walletId: string, keyIndex: number): string => `next/${walletId}/${keyIndex}`;

/** A lane as its record, which holds share and lane seed. The caller wipes it. */
export function encodeLane({ share, laneSeed, ...facts }: Lane): SecretBytes {
  return share.map((shareBytes) => laneSeed.use((seed) => LaneRecord.encode({ ...facts, share: shareBytes, laneSeed: seed })));
}

/** The lane of a record that {@link encodeLane} made. @throws YaoError `invalid_length`, `invalid_request` for a record that is not one */
export function decodeLane(record: SecretBytes): Lane {
  const { share, laneSeed, ...facts } = record.use(LaneRecord.decode);
  return { ...facts, share: SecretBytes.own(share), laneSeed: SecretBytes.own(laneSeed) };
}

/** What a lane is without its secrets. */
export type LaneFacts = Omit<Lane, 'share' | 'laneSeed'>;

/** Leaves a lane's secrets out. */
export const factsOf = ({ walletId, keyIndex, lane, epoch, ceremonyId, publicKey }: Lane): LaneFacts => ({
  ...{ walletId, keyIndex, lane, epoch, ceremonyId, publicKey },
});

/** Ends a lane's secrets in memory; the record that it came from stays. */
export function wipeLane({ share, laneSeed }: Pick<Lane, 'share' | 'laneSeed'>): void {
  share.wipe();
  laneSeed.wipe();
}

/** What a device remembers of a wallet besides its lanes. */
const WalletRecord = schema.message(`${PROTOCOL} device-wallet`, { authority: Authority.codec, wrapped: WrappedRoot.codec });

/** Name of the record that {@link encodeWallet} makes. */
export const walletName = (walletId: string): string => `wallet/${walletId}`;

/** What a device remembers of a wallet besides its lanes; all of it can be asked for again. */
export interface WalletFacts {
  readonly authority: Authority;
  /** The client root, sealed for this device's credential: with it at hand one question to the user is enough. */
  readonly wrapped: WrappedRoot;
}

/** The facts as their record. */
export const encodeWallet = (facts: WalletFacts): SecretBytes => SecretBytes.own(WalletRecord.encode(facts));

/** @returns `undefined` for a record of an earlier version: all that is in here can be asked for again */
export const decodeWallet = (record: SecretBytes): WalletFacts | undefined =>
  ofThisVersion(() => record.use(WalletRecord.decode));
