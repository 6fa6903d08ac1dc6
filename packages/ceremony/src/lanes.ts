import { type Json, YaoError } from '@streaming-yao/core';
import {
  type Authority,
  LanesAnswer,
  LanesRequest,
  LanesStatement,
  RevokeAnswer,
  RevokeRequest,
  RevokeStatement,
} from '@streaming-yao/wire';
import { checkFresh, checkLaneKey, checkProof, checkSession, credentialOf } from './credential-proof.ts';
import { eraseEnded } from './erasure.ts';
import { dropLane } from './live-lane.ts';
import { type Program, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { endSessions } from './signing-session-record.ts';
import { laneKeyOf, lanesOf, missingLane, readAuthority, readKey, readLane } from './signing-worker-record.ts';

/** @throws YaoError `unknown_wallet` */
export function* recordedAuthority(walletId: string): Program<Authority> {
  const authority = yield* transact(readAuthority);
  if (!authority) throw new YaoError('unknown_wallet', `no wallet ${walletId} is registered here`, { party: 'client' });
  return authority;
}

/** Lists a key's lanes to a credential's session, or to the device of one of them. */
export function* listLanes(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, reader } = LanesRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const authority = yield* recordedAuthority(statement.walletId);
  const { key, lanes } = yield* transact((tx) => ({
    key: readKey(tx, statement.keyIndex),
    lanes: lanesOf(tx, statement.keyIndex),
  }));
  if (!key)
    throw new YaoError('unknown_wallet', `this wallet has no key ${statement.keyIndex}; register it first`, { party: 'client' });
  const message = LanesStatement.encode(statement);
  if (reader.kind === 'session') {
    const credential = credentialOf(authority, reader.session.proof.credentialId);
    yield* checkSession(s, credential, { ...reader, nowMs: s.now(), statement: message });
  } else {
    const own = lanes.find(({ lane }) => lane === reader.lane);
    if (!own) throw missingLane({ ...statement, lane: reader.lane }, key);
    yield* checkLaneKey(own.record.laneKey, message, reader.signature);
  }
  const facts = lanes.map(({ lane, record }) => ({ lane, ...record }));
  return LanesAnswer.toJson({ ...key, lanes: facts, authority });
}

/** Ends a lane at once: its nonces are burned, its share is erased. */
export function* revokeLane(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, proof } = RevokeRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const authority = yield* recordedAuthority(statement.walletId);
  yield* checkProof(s, credentialOf(authority, proof.credentialId), RevokeStatement.encode(statement), proof);
  yield* transact((tx) => {
    const record = readLane(tx, 'lane', statement);
    // A retired one is revoked as well: the same call may come twice.
    const missing = record ? undefined : missingLane(statement, readKey(tx, statement.keyIndex));
    if (missing && missing.code !== 'epoch_retired') throw missing;
    tx.delete('lane', laneKeyOf(statement));
    endSessions(tx, statement);
    tx.delete('staged', laneKeyOf(statement));
  });
  dropLane(s, statement);
  yield* eraseEnded();
  return RevokeAnswer.toJson({ lane: statement.lane });
}
