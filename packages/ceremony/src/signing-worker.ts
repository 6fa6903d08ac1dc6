import { LIMITS, YaoError } from '@streaming-yao/core';
import { PresignPool } from '@streaming-yao/signing';
import {
  ActivationAnswer,
  ActivationCall,
  type LaneEpoch,
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  SignAnswer,
  SignRequest,
} from '@streaming-yao/wire';
import { activate } from './activation.ts';
import { keys } from './hpke-keys.ts';
import { type Program, transact, verify } from './program.ts';
import type { Handlers, SigningWorkerSurroundings } from './role.ts';
import { type LaneRecord, laneName, readLane, shareContext } from './signing-worker-record.ts';

/** The SigningWorker: one object per wallet. docs/protocol.md sections 8 and 9. */
export const handlers: Handlers<SigningWorkerSurroundings> = {
  '/activate': { caller: 'router', wallet: (body) => ActivationCall.fromJson(body).core.walletId, program: activation },
  '/sign/prepare': {
    caller: 'router',
    wallet: (body) => PrepareRequest.fromJson(body).statement.lane.walletId,
    program: prepare,
  },
  '/sign': {
    caller: 'router',
    bodyBytes: LIMITS.signBodyBytes,
    wallet: (body) => SignRequest.fromJson(body).lane.walletId,
    program: signMessage,
  },
  '/keys': { caller: 'router', program: keys('signing-worker') },
};

function* activation(s: SigningWorkerSurroundings, body: unknown) {
  return ActivationAnswer.toJson({ activation: yield* activate(s, ActivationCall.fromJson(body)) });
}

/** A lane's live presigns, and the facts they belong to. */
interface LiveLane {
  readonly record: LaneRecord;
  readonly pool: PresignPool;
}

/** @throws YaoError `lane_unknown`, `epoch_mismatch`, before any nonce is used */
function* liveLane(s: SigningWorkerSurroundings, asked: LaneEpoch): Program<LiveLane> {
  const name = laneName(asked);
  const live = s.memory.get(name) as LiveLane | undefined;
  if (live?.record.epoch === asked.epoch) return live;
  const record = yield* transact((tx) => readLane(tx, asked));
  if (!record)
    throw new YaoError('lane_unknown', `key ${asked.keyIndex} of this wallet has no lane ${asked.lane}`, { party: 'client' });
  if (record.epoch !== asked.epoch) {
    throw new YaoError('epoch_mismatch', `lane ${asked.lane} stands at epoch ${record.epoch}, not ${asked.epoch}`, {
      party: 'client',
    });
  }
  live?.pool.drop();
  using share = s.sealer.open(shareContext(asked, record.epoch), record.sealedShare);
  const pool = new PresignPool({ group: s.group, lane: asked, share, groupPublicKey: record.publicKey, random: s.random });
  const made = { record, pool };
  s.memory.set(name, made);
  return made;
}

/** Hands out commitments to whoever holds the lane's key. */
function* prepare(s: SigningWorkerSurroundings, body: unknown) {
  const { statement, signature } = PrepareRequest.fromJson(body);
  const { record, pool } = yield* liveLane(s, statement.lane);
  if (Math.abs(s.now() - statement.issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
  const genuine = yield* verify({
    algorithm: 'ed25519',
    publicKey: record.laneKey,
    message: PrepareStatement.encode(statement),
    signature,
  });
  if (!genuine)
    throw new YaoError('authorization_invalid', 'the request is not signed by the lane’s device', { party: 'client' });
  return PrepareAnswer.toJson({ presigns: pool.prepare(Math.min(statement.count, LIMITS.presignsPerPrepare), s.now()) });
}

/** Spends one presign on one message. The signature share proves that the caller holds the lane. */
function* signMessage(s: SigningWorkerSurroundings, body: unknown) {
  const request = SignRequest.fromJson(body);
  if (request.expiresAtMs < s.now())
    throw new YaoError('request_expired', 'the signing request has expired; sign again', { party: 'client' });
  const { pool } = yield* liveLane(s, request.lane);
  const signature = pool.finish(request, s.now());
  return SignAnswer.toJson({ signature, presigns: pool.prepare(1, s.now()) });
}
