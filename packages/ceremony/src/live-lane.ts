import { equalBytes, YaoError } from '@streaming-yao/core';
import { PresignPool, presignSpent } from '@streaming-yao/signing';
import type { LaneEpoch, LaneName } from '@streaming-yao/wire';
import { eraseEnded } from './erasure.ts';
import { dropSessions } from './live-session.ts';
import { type Program, type Transaction, transact, vaultRead } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { type LaneRecord, laneKeyOf, missingLane, readKey, readLane, shareContext, slotOf } from './signing-worker-record.ts';

/** A lane's epoch that is ready to sign: its record, and its nonces, which live here only. */
export interface LiveLane {
  readonly record: LaneRecord;
  readonly pool: PresignPool;
  /** Whether its first signature has still to promote it. */
  readonly staged: boolean;
}

const WAITING = 'staged ';
const liveName = (lane: LaneName, staged: boolean): string => `${staged ? WAITING : 'lane '}${laneKeyOf(lane)}`;

function liveIfAny({ memory }: SigningWorkerSurroundings, asked: LaneEpoch): LiveLane | undefined {
  for (const staged of [false, true]) {
    const live = memory.get(liveName(asked, staged)) as LiveLane | undefined;
    if (live?.record.epoch === asked.epoch) return live;
  }
  return undefined;
}

/**
 * The asked epoch, if it is ready to sign. One that is not has no presigns, and is not worth opening for a signature.
 * @throws YaoError `presign_spent`, or what {@link liveLane} would throw
 */
export function* lanePresigned(s: SigningWorkerSurroundings, asked: LaneEpoch): Program<LiveLane> {
  const live = liveIfAny(s, asked);
  if (live) return live;
  yield* transact((tx) => lookFor(tx, asked));
  throw presignSpent();
}

/**
 * Finds the asked epoch, active or staged, and opens its share once per life of the object.
 * @throws YaoError `lane_unknown`, `epoch_retired`, `epoch_mismatch`, before any nonce is used
 */
export function* liveLane(s: SigningWorkerSurroundings, asked: LaneEpoch): Program<LiveLane> {
  const live = liveIfAny(s, asked);
  if (live) return live;
  s.background(eraseEnded());
  const look = (tx: Transaction) => lookFor(tx, asked);
  const { found } = yield* transact(look);
  const sealed = yield* vaultRead(slotOf(asked, found));
  // Meanwhile the epoch may have ended, or begun.
  const { found: still, staged } = yield* transact(look);
  if (!equalBytes(still.ceremonyId, found.ceremonyId)) return yield* liveLane(s, asked);
  if (!sealed) throw new YaoError('internal', 'the share of an active lane is missing', { party: 'signing-worker' });
  using share = s.sealer.open(shareContext(asked, found), sealed);
  const { group, random } = s;
  const { publicKey: groupPublicKey, clientShare: clientCommitment } = found;
  const { presignLifeMs: lifeMs, heldPresigns: unspent, rememberedAnswers: answers } = s.settings;
  const settings = { lifeMs, unspent, answers };
  const pool = new PresignPool({ group, lane: asked, share, groupPublicKey, clientCommitment, random, settings });
  return keepLive(s, asked, { record: found, pool, staged });
}

/** Of two requests that open a share at once, the first one's pool stays. */
function keepLive(s: SigningWorkerSurroundings, lane: LaneEpoch, made: LiveLane): LiveLane {
  const name = liveName(lane, made.staged);
  const kept = s.memory.get(name) as LiveLane | undefined;
  if (kept && equalBytes(kept.record.ceremonyId, made.record.ceremonyId)) {
    made.pool.drop();
    return kept;
  }
  kept?.pool.drop();
  s.memory.set(name, made);
  return made;
}

const lookFor = (tx: Transaction, asked: LaneEpoch) =>
  findLane(asked, readLane(tx, 'lane', asked), readLane(tx, 'staged', asked), readKey(tx, asked.keyIndex));

function findLane(
  asked: LaneEpoch,
  active: LaneRecord | undefined,
  waiting: LaneRecord | undefined,
  key: Parameters<typeof missingLane>[1],
) {
  if (active?.epoch === asked.epoch) return { found: active, staged: false };
  if (waiting?.epoch === asked.epoch) return { found: waiting, staged: true };
  if (!active) throw missingLane(asked, key);
  const code = asked.epoch < active.epoch ? 'epoch_retired' : 'epoch_mismatch';
  throw new YaoError(code, `lane ${asked.lane} stands at epoch ${active.epoch}, not ${asked.epoch}`, { party: 'client' });
}

/** The epoch that is active. @throws YaoError `lane_unknown`, `epoch_retired`, `epoch_mismatch` */
export function activeLane(tx: Transaction, asked: LaneEpoch): LaneRecord {
  return findLane(asked, readLane(tx, 'lane', asked), undefined, readKey(tx, asked.keyIndex)).found;
}

/** Forgets what of a wallet depends on its credentials, after these were changed; all that still stands is read again. */
export function dropApproved(s: SigningWorkerSurroundings): void {
  for (const [name, live] of s.memory) {
    if (!name.startsWith(WAITING)) continue;
    (live as LiveLane).pool.drop();
    s.memory.delete(name);
  }
  dropSessions(s);
  s.background(eraseEnded());
}

/** Burns every nonce of a lane and forgets its shares and sessions: an epoch is over, or the lane is revoked. */
export function dropLane(s: SigningWorkerSurroundings, lane: LaneName): void {
  for (const staged of [false, true]) {
    const name = liveName(lane, staged);
    (s.memory.get(name) as LiveLane | undefined)?.pool.drop();
    s.memory.delete(name);
  }
  dropSessions(s, lane);
}
