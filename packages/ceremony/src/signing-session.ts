import { fromHex, type Json, LIMITS, YaoError } from '@streaming-yao/core';
import {
  OpenSigningSession,
  OpenSigningSessionAnswer,
  SigningSessionStatement,
  SigningSessionsAnswer,
  SigningSessionsRequest,
  SigningSessionsStatement,
} from '@streaming-yao/wire';
import { checkFresh, checkLaneKey, checkProof, credentialOf } from './credential-proof.ts';
import { activeLane } from './live-lane.ts';
import { blockOf, describeSession, dropSession, keepSession, unknownSession } from './live-session.ts';
import { type Program, type Transaction, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { readSession, type SessionRecord, sessionName, sessionsOf, writeSession } from './signing-session-record.ts';
import { checkStillMember, recordedAuthority } from './signing-worker-record.ts';

/**
 * Opens a budget of signatures that one of the wallet's credentials approved of; the same request again opens nothing new.
 * @throws YaoError `authorization_invalid`, `request_expired`, `invalid_request`, `session_unknown` for one that was closed, `busy`,
 *   and what is said of a lane that is not active at that epoch
 */
export function* openSession(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, proof } = OpenSigningSession.fromJson(body);
  checkFresh(s, s.now(), statement);
  checkExtent(statement);
  const { lane, uses, kinds, expiresAtMs } = statement;
  const authority = yield* recordedAuthority(lane.walletId);
  const { credentialId } = proof;
  yield* checkProof(s, credentialOf(authority, credentialId), SigningSessionStatement.encode(statement), proof);
  const sessionId = SigningSessionStatement.digest(statement);
  const name = sessionName(lane, sessionId);
  const leased = blockOf(s, uses);
  const record: SessionRecord = { epoch: lane.epoch, credentialId, uses, leased, kinds, expiresAtMs, closed: false };
  const before = yield* transact((tx) => {
    checkStillMember(tx, lane.walletId, credentialId);
    activeLane(tx, lane);
    const stored = readSession(tx, name);
    if (stored) return stored;
    if (sessionsOf(tx, lane).length === LIMITS.signingSessionsPerLane) {
      throw new YaoError('busy', `a lane has at most ${LIMITS.signingSessionsPerLane} sessions; wait until some have expired`);
    }
    writeSession(tx, name, record, s.settings.retentionMs);
    return undefined;
  });
  if (before?.closed) throw unknownSession();
  if (!before) keepSession(s, name, record, leased);
  return OpenSigningSessionAnswer.toJson({ session: describeSession(s, sessionId, name, before ?? record) });
}

function checkExtent({ uses, issuedAtMs, expiresAtMs }: SigningSessionStatement): void {
  const life = expiresAtMs - issuedAtMs;
  const fits = uses >= 1 && uses <= LIMITS.signingSessionUses && life > 0 && life <= LIMITS.signingSessionLifeMs;
  if (fits) return;
  throw new YaoError(
    'invalid_request',
    `a signing session has 1 to ${LIMITS.signingSessionUses} uses and lives at most ${LIMITS.signingSessionLifeMs} ms`,
    { party: 'client' },
  );
}

/** Shows the device of a lane what is open, and closes one first where it is asked to. */
export function* tendSessions(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, signature } = SigningSessionsRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const { lane, close } = statement;
  const { laneKey } = yield* transact((tx) => activeLane(tx, lane));
  yield* checkLaneKey(laneKey, SigningSessionsStatement.encode(statement), signature);
  if (close) {
    const name = sessionName(lane, close);
    yield* transact((tx) => closeSession(tx, name, s.settings.retentionMs));
    dropSession(s, name);
  }
  const found = yield* transact((tx) => sessionsOf(tx, lane));
  const open = found.filter(({ record }) => !record.closed && record.expiresAtMs >= s.now());
  const sessions = open.map(({ name, record }) => {
    const sessionId = fromHex(name.slice(name.lastIndexOf('/') + 1));
    return describeSession(s, sessionId, name, record);
  });
  return SigningSessionsAnswer.toJson({ sessions });
}

function closeSession(tx: Transaction, name: string, retentionMs: number): void {
  const record = readSession(tx, name);
  if (!record) throw unknownSession();
  if (!record.closed) writeSession(tx, name, { ...record, closed: true }, retentionMs);
}
