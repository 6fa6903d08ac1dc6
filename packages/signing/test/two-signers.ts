import { SecretBytes } from '@streaming-yao/core';
import { encodeScalar } from '@streaming-yao/group';
import { loadGroup } from '@streaming-yao/group/node';
import type { LaneEpoch, Presign } from '@streaming-yao/wire';
import { clientSign } from '../src/client.ts';
import { CommitmentPool, type WorkerCommitments } from '../src/commitment-pool.ts';
import { type FinishRequest, PresignPool, type PresignPoolSettings } from '../src/presign-pool.ts';

export const group = loadGroup();
export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
export const lane: LaneEpoch = { walletId: 'wallet', keyIndex: 0, lane: 1, epoch: 3 };
export const NOW_MS = 1_800_000_000_000;
export const message = new TextEncoder().encode('pay 3 to Bo');

/** A fresh key in two additive shares, and both sides' pools for one lane of it. */
export function twoSigners(settings: Partial<PresignPoolSettings> = {}) {
  const clientShare = group.randomScalar(random);
  const workerShare = group.randomScalar(random);
  using key = group.addScalars(clientShare, workerShare);
  const groupPublicKey = group.baseMultiply(key);
  const clientCommitment = group.baseMultiply(clientShare);
  const poolLane = { group, lane, share: workerShare, groupPublicKey, clientCommitment, random };
  const pool = new PresignPool({ ...poolLane, settings });

  const sign = (workerCommitments: WorkerCommitments, signed: Uint8Array = message): FinishRequest => ({
    message: signed,
    ...clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message: signed, random }),
  });
  /** A request under a new presign. */
  const request = (signed: Uint8Array = message): FinishRequest => sign(checked(pool.prepare(1, NOW_MS)[0] as Presign), signed);
  return { clientShare, workerShare, groupPublicKey, poolLane, pool, sign, request };
}

/** Commitments as the client's pool gives them out. */
export function checked(presign: Presign): WorkerCommitments {
  const stock = new CommitmentPool(group, lane, { marginMs: 0 });
  stock.takeIn(presign, NOW_MS);
  return stock.take(NOW_MS) as WorkerCommitments;
}

export const scalarOf = (value: bigint): SecretBytes => SecretBytes.own(encodeScalar(value));
