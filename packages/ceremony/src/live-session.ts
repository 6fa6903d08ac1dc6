import { YaoError } from '@streaming-yao/core';
import type { LaneEpoch, LaneName, SigningSession } from '@streaming-yao/wire';
import { type Program, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { lanePrefix, readSession, type SessionRecord, sessionName, writeSession } from './signing-session-record.ts';

/** A session that signs: what of it is written off and not made yet is on hand here, and nowhere else. */
export interface LiveSession {
  readonly name: string;
  readonly record: Pick<SessionRecord, 'epoch' | 'uses' | 'kinds' | 'expiresAtMs'>;
  leased: number;
  onHand: number;
  /** Whether a block is being written off in the background. */
  leasing: boolean;
}

const SESSIONS = 'signing sessions';

function liveSessions({ memory }: SigningWorkerSurroundings): Map<string, LiveSession> {
  const known = (memory.get(SESSIONS) as Map<string, LiveSession> | undefined) ?? new Map<string, LiveSession>();
  memory.set(SESSIONS, known);
  return known;
}

/** Uses written off at once: few of a small budget, so that an object that dies takes few with it. */
export function blockOf({ settings }: SigningWorkerSurroundings, uses: number): number {
  return Math.min(settings.sessionLeaseUses, Math.max(1, Math.floor(uses / 16)));
}

/** Of two that read a session at once, the first one's stays. */
export function keepSession(s: SigningWorkerSurroundings, name: string, record: SessionRecord, onHand: number): LiveSession {
  const sessions = liveSessions(s);
  const kept = sessions.get(name) ?? { name, record, leased: record.leased, onHand, leasing: false };
  sessions.set(name, kept);
  return kept;
}

export const unknownSession = (): YaoError =>
  new YaoError('session_unknown', 'this lane has no such signing session now; ask the user to open another one', {
    party: 'client',
  });

/**
 * The session that a signature counts in, with a use on hand: on a hit without reading or writing.
 * @throws YaoError `session_unknown`, `budget_exhausted`
 */
export function* sessionWithUse(s: SigningWorkerSurroundings, lane: LaneEpoch, sessionId: Uint8Array): Program<LiveSession> {
  const name = sessionName(lane, sessionId);
  const live = liveSessions(s).get(name) ?? (yield* wake(s, name));
  if (live.record.epoch !== lane.epoch || live.record.expiresAtMs < s.now()) throw unknownSession();
  while (live.onHand === 0) {
    if (live.leased === live.record.uses) {
      throw new YaoError(
        'budget_exhausted',
        `all ${live.record.uses} uses of this session are made; ask the user for another one`,
        {
          party: 'client',
        },
      );
    }
    if (!(yield* lease(s, live))) throw unknownSession();
  }
  return live;
}

function* wake(s: SigningWorkerSurroundings, name: string): Program<LiveSession> {
  const record = yield* transact((tx) => readSession(tx, name));
  if (!record || record.closed) throw unknownSession();
  return keepSession(s, name, record, 0);
}

/** Writes off the next block, durably before it is on hand. @returns whether the session is still open */
function* lease(s: SigningWorkerSurroundings, live: LiveSession): Program<boolean> {
  const block = yield* transact((tx) => {
    const record = readSession(tx, live.name);
    if (!record || record.closed) return undefined;
    const count = Math.min(blockOf(s, record.uses), record.uses - record.leased);
    if (count > 0) writeSession(tx, live.name, { ...record, leased: record.leased + count }, s.settings.retentionMs);
    return { count, leased: record.leased + count };
  });
  if (!block) return false;
  live.leased = Math.max(live.leased, block.leased);
  live.onHand += block.count;
  return true;
}

/** Counts a signature; the next block is written off after the answer. @returns how many the session still has */
export function useOne(s: SigningWorkerSurroundings, live: LiveSession): number {
  live.onHand--;
  const { uses } = live.record;
  if (!live.leasing && live.leased < uses && live.onHand < blockOf(s, uses) / 2) {
    live.leasing = true;
    s.background(leaseAhead(s, live));
  }
  return usesLeft(live);
}

function* leaseAhead(s: SigningWorkerSurroundings, live: LiveSession): Program<void> {
  try {
    yield* lease(s, live);
  } finally {
    live.leasing = false;
  }
}

const usesLeft = ({ record, leased, onHand }: Pick<LiveSession, 'record' | 'leased' | 'onHand'>): number =>
  record.uses - leased + onHand;

/** What a session is now, for those who ask. */
export function describeSession(
  s: SigningWorkerSurroundings,
  sessionId: Uint8Array,
  name: string,
  record: SessionRecord,
): SigningSession {
  const { uses, kinds, expiresAtMs, leased } = record;
  return { sessionId, uses, kinds, expiresAtMs, usesLeft: usesLeft(liveSessions(s).get(name) ?? { record, leased, onHand: 0 }) };
}

/** Forgets what is on hand of one session; of all of a lane; of all of the wallet. */
export function dropSession(s: SigningWorkerSurroundings, name: string): void {
  liveSessions(s).delete(name);
}

export function dropSessions(s: SigningWorkerSurroundings, lane?: LaneName): void {
  const prefix = lane ? lanePrefix(lane) : '';
  for (const name of liveSessions(s).keys()) if (name.startsWith(prefix)) dropSession(s, name);
}
