import type { Lane } from '@streaming-yao/ceremony/client';
import { type Program, recall } from '@streaming-yao/ceremony/program';
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

export const laneName = (walletId: string): string => `lane/${walletId}`;

export function encodeLane(lane: Lane): SecretBytes {
  return lane.share.map((share) => lane.laneSeed.use((laneSeed) => LaneRecord.encode({ ...lane, share, laneSeed })));
}

export function decodeLane(secret: SecretBytes): Lane {
  const lane = secret.use(LaneRecord.decode);
  return { ...lane, share: SecretBytes.own(lane.share), laneSeed: SecretBytes.own(lane.laneSeed) };
}

export function* recallLane(walletId: string): Program<Lane | undefined> {
  const kept = yield* recall(laneName(walletId));
  return kept && decodeLane(kept);
}
