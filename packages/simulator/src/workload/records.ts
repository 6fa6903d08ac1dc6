import type { Lane } from '@streaming-yao/ceremony/client';
import { keep, type Program, recall } from '@streaming-yao/ceremony/program';
import { SecretBytes, schema } from '@streaming-yao/core';

/** What a device keeps of a lane. */
const LaneRecord = schema.message('simulator lane', {
  walletId: schema.text(/./, 64),
  keyIndex: schema.u32,
  lane: schema.u32,
  epoch: schema.u32,
  ceremonyId: schema.bytes(32),
  publicKey: schema.bytes(32),
  share: schema.bytes(32),
  laneSeed: schema.bytes(32),
});

/** The lane that signs, and the one that waits beside it for its confirmation. */
export type LanePlace = 'lane' | 'next';

const nameOf = (place: LanePlace, walletId: string): string => `${place}/${walletId}`;

/** Whether a kept record is a lane. */
export const isLane = (name: string): boolean => name.startsWith('lane/') || name.startsWith('next/');

export function decodeLane(secret: SecretBytes): Lane {
  const lane = secret.use(LaneRecord.decode);
  return { ...lane, share: SecretBytes.own(lane.share), laneSeed: SecretBytes.own(lane.laneSeed) };
}

export function* recallLane(walletId: string, place: LanePlace = 'lane'): Program<Lane | undefined> {
  const kept = yield* recall(nameOf(place, walletId));
  return kept && decodeLane(kept);
}

export function* keepLane(place: LanePlace, lane: Lane): Program<void> {
  using record = lane.share.map((share) => lane.laneSeed.use((laneSeed) => LaneRecord.encode({ ...lane, share, laneSeed })));
  yield* keep(nameOf(place, lane.walletId), record);
}

export function* forgetLane(place: LanePlace, walletId: string): Program<void> {
  yield* keep(nameOf(place, walletId), null);
}
