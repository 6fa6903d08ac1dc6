import { type Json, LIMITS, toHex, YaoError } from '@streaming-yao/core';
import type { PresignPool } from '@streaming-yao/signing';
import {
  ActivationAnswer,
  ActivationCall,
  ActivationEvidence,
  ActivationInquiry,
  ConfirmAnswer,
  ConfirmRequest,
  type LaneEpoch,
  LanesRequest,
  NameRequest,
  OpenSigningSession,
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  RevokeRequest,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SigningSessionsRequest,
  SignRequest,
  walletOfCore,
  walletOfSignatureShare,
  walletOfSigning,
} from '@streaming-yao/wire';
import { activate, confirm, evidenceOf, promote } from './activation.ts';
import { updateAuthority, walletOfAuthority } from './authority-update.ts';
import { checkLaneKey } from './credential-proof.ts';
import { keys } from './hpke-keys.ts';
import { nameLane } from './lane-name.ts';
import { listLanes, revokeLane } from './lanes.ts';
import { dropApproved, type LiveLane, lanePresigned, liveLane } from './live-lane.ts';
import { type LiveSession, useOne } from './live-session.ts';
import { deleteWallet, walletOfDeletion } from './operator.ts';
import { all, type Program } from './program.ts';
import { type Rate, takeOne } from './rate-limit.ts';
import type { Handlers, SigningWorkerSurroundings } from './role.ts';
import { permit } from './signing-permission.ts';
import { openSession, tendSessions } from './signing-session.ts';
import { takeAuthority } from './signing-session-record.ts';
import { walletRecords } from './signing-worker-deletion.ts';
import { readAuthority } from './signing-worker-record.ts';

/** The SigningWorker: one object per wallet. docs/protocol.md sections 8 and 9. */
export const handlers: Handlers<SigningWorkerSurroundings> = {
  '/activate': { caller: 'router', wallet: walletOfCore, program: activation },
  '/activations': { caller: 'router', wallet: (body) => ActivationInquiry.fromJson(body).walletId, program: evidence },
  '/confirm': { caller: 'router', wallet: (body) => ConfirmRequest.fromJson(body).statement.walletId, program: confirmation },
  '/authority': {
    caller: 'router',
    wallet: walletOfAuthority,
    program: authorityChange,
  },
  '/lanes': { caller: 'router', wallet: (body) => LanesRequest.fromJson(body).statement.walletId, program: listLanes },
  '/lanes/name': { caller: 'router', wallet: (body) => NameRequest.fromJson(body).statement.walletId, program: nameLane },
  '/lanes/revoke': { caller: 'router', wallet: (body) => RevokeRequest.fromJson(body).statement.walletId, program: revokeLane },
  '/sessions/open': {
    caller: 'router',
    wallet: (body) => OpenSigningSession.fromJson(body).statement.lane.walletId,
    program: openSession,
  },
  '/sessions': {
    caller: 'router',
    wallet: (body) => SigningSessionsRequest.fromJson(body).statement.lane.walletId,
    program: tendSessions,
  },
  '/sign/prepare': {
    caller: 'router',
    wallet: (body) => PrepareRequest.fromJson(body).statement.lane.walletId,
    program: prepare,
  },
  '/sign': {
    caller: 'router',
    bodyBytes: LIMITS.signBodyBytes,
    wallet: walletOfSigning,
    program: signMessage,
  },
  '/sign/share': {
    caller: 'router',
    bodyBytes: LIMITS.signBodyBytes,
    wallet: walletOfSignatureShare,
    program: giveShare,
  },
  '/keys': { caller: 'router', program: keys('signing-worker') },
  '/delete': { caller: 'router', wallet: walletOfDeletion, program: deleteWallet(walletRecords) },
};

const succeedAuthority = updateAuthority({ read: readAuthority, write: takeAuthority });

/** What a removed credential has opened is over, and what it has approved of and nobody has confirmed yet. */
function* authorityChange(s: SigningWorkerSurroundings, body: unknown) {
  const answer = yield* succeedAuthority(s, body);
  dropApproved(s);
  return answer;
}

function* activation(s: SigningWorkerSurroundings, body: unknown) {
  return ActivationAnswer.toJson({ activation: yield* activate(s, ActivationCall.fromJson(body)) });
}

function* evidence(s: SigningWorkerSurroundings, body: unknown) {
  return ActivationEvidence.toJson(yield* evidenceOf(s, ActivationInquiry.fromJson(body).walletId));
}

function* confirmation(s: SigningWorkerSurroundings, body: unknown) {
  return ConfirmAnswer.toJson(yield* confirm(s, ConfirmRequest.fromJson(body)));
}

/** Hands out commitments to whoever holds the lane's key. */
function* prepare(s: SigningWorkerSurroundings, body: unknown) {
  const { statement, signature } = PrepareRequest.fromJson(body);
  yield* laneOfHolder(s, statement, PrepareStatement.encode(statement), signature);
  const { pool } = yield* liveLane(s, statement.lane);
  const presigns = pool.prepare(Math.min(statement.count, LIMITS.presignsPerPrepare), s.now());
  s.background(makeAhead(s, pool));
  return PrepareAnswer.toJson({ presigns });
}

/**
 * The lane's epoch that a statement is about, whose holder made it just now. Nobody may rely on it for longer: it takes its time to
 * find out, and meanwhile the epoch may end.
 * @throws YaoError `request_expired`, `authorization_invalid`, and what {@link liveLane} throws
 */
function* laneOfHolder(
  s: SigningWorkerSurroundings,
  { lane, issuedAtMs }: { readonly lane: LaneEpoch; readonly issuedAtMs: number },
  statement: Uint8Array,
  signature: Uint8Array,
): Program<LiveLane> {
  const live = yield* liveLane(s, lane);
  if (Math.abs(s.now() - issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
  yield* checkLaneKey(live.record.laneKey, statement, signature);
  return live;
}

const SIGNED = 'signing limit';

/** Of a wallet, which has this object to itself; in memory, because nothing may be written before a signature leaves. */
const signingRate = ({ settings }: SigningWorkerSurroundings): Rate => ({ count: settings.signsPerMinute, windowMs: 60_000 });

/**
 * Counts what `sign` makes in the wallet's limit and, the first time that it is made, in its session; neither where it throws, so
 * that nobody but the lane's device uses them up.
 * @throws YaoError `rate_limited`, and what `sign` throws
 */
function counted<T>(s: SigningWorkerSurroundings, session: LiveSession | undefined, isFirst: boolean, sign: () => T) {
  const fullAtMs = takeOne((s.memory.get(SIGNED) as number | undefined) ?? 0, signingRate(s), s.now());
  const made = sign();
  s.memory.set(SIGNED, fullAtMs);
  return { made, usesLeft: session && isFirst ? useOne(s, session) : null };
}

/** Spends one presign on one message. The signature share proves that the caller holds the lane. */
function* signMessage(s: SigningWorkerSurroundings, body: unknown) {
  const request = SignRequest.fromJson(body);
  if (request.expiresAtMs < s.now())
    throw new YaoError('request_expired', 'the signing request has expired; sign again', { party: 'client' });
  const { record, pool, staged } = yield* lanePresigned(s, request.lane);
  // The same request again gets the same answer, whatever its session has come to.
  const session = pool.holds(request.presignId) ? yield* permit(s, request, record.publicKey) : undefined;
  const spends = pool.holds(request.presignId);
  const { made: signature, usesLeft } = counted(s, session, spends, () => pool.finish(request, s.now()));
  // The share proved possession, so the epoch is confirmed, durably, before its first signature leaves.
  if (staged) {
    yield* promote(s, request.lane, record);
    return SignAnswer.toJson({ signature, presigns: [], usesLeft });
  }
  s.background(makeAhead(s, pool));
  const presigns = pool.prepareAhead(Math.min(request.wanted, LIMITS.presignsPerPrepare), s.now());
  return SignAnswer.toJson({ signature, presigns, usesLeft });
}

/** Gives this signer's share of a signature to whoever holds the lane's key, and has sent its own commitments: no presign is needed. */
function* giveShare(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, signature } = SignatureShareRequest.fromJson(body);
  const encoded = SignatureShareStatement.encode(statement);
  const live = yield* laneOfHolder(s, statement, encoded, signature);
  const { record, pool, staged } = live;
  const name = toHex(SignatureShareStatement.digest(statement));
  // The same request again gets the same answer, whatever its session has come to.
  const session = pool.gaveShare(name) ? undefined : yield* permit(s, statement, record.publicKey);
  // Meanwhile the epoch may have ended, or been confirmed.
  if ((yield* liveLane(s, statement.lane)) !== live) return yield* giveShare(s, body);
  if (staged) {
    throw new YaoError('not_ready', 'the new share of this lane was not confirmed yet; confirm it, then sign', {
      party: 'client',
    });
  }
  const { made: given, usesLeft } = counted(s, session, !pool.gaveShare(name), () => pool.giveShare(name, statement));
  const held = statement.held !== null && pool.holds(statement.held);
  return SignatureShareAnswer.toJson({ ...given, held, usesLeft });
}

/** One presign made after each answer, so that the one which brings the next block need not wait for its making. */
function* makeAhead(s: SigningWorkerSurroundings, pool: PresignPool): Program<void> {
  yield* all();
  pool.makeAhead(s.now());
}
