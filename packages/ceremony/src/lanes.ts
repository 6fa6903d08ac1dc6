import type { Json } from '@streaming-yao/core';
import {
  LanesAnswer,
  LanesRequest,
  LanesStatement,
  RevokeAnswer,
  RevokeRequest,
  RevokeStatement,
  SignedLanes,
} from '@streaming-yao/wire';
import { checkFresh, checkLaneKey, checkProof, checkSession, credentialOf } from './credential-proof.ts';
import { eraseEnded } from './erasure.ts';
import { readName } from './lane-name.ts';
import { dropLane } from './live-lane.ts';
import { type Program, sign, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { endSessions } from './signing-session-record.ts';
import {
  checkStillMember,
  endLane,
  laneKeyOf,
  lanesOf,
  missingLane,
  readKey,
  readLane,
  recordedAuthority,
} from './signing-worker-record.ts';

/** Lists a key's lanes, if there is such a key, to a credential's session, or to the device of one of them. */
export function* listLanes(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, reader } = LanesRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const authority = yield* recordedAuthority(statement.walletId);
  const { key, lanes } = yield* transact((tx) => ({
    key: readKey(tx, statement.keyIndex),
    lanes: lanesOf(tx, statement.keyIndex).map((found) => ({
      ...found,
      name: readName(tx, { keyIndex: statement.keyIndex, lane: found.lane }),
    })),
  }));
  const message = LanesStatement.encode(statement);
  if (reader.kind === 'session') {
    const credential = credentialOf(authority, reader.session.proof.credentialId);
    yield* checkSession(s, credential, { ...reader, nowMs: s.now(), statement: message });
  } else {
    const own = lanes.find(({ lane }) => lane === reader.lane);
    if (!own) throw missingLane({ ...statement, lane: reader.lane }, key);
    yield* checkLaneKey(own.record.laneKey, message, reader.signature);
  }
  const facts = lanes.map(({ lane, record, name }) => ({ lane, ...record, name }));
  const answer = { asked: LanesStatement.digest(statement), key: key ? { ...key, lanes: facts } : null, authority };
  return SignedLanes.toJson({ answer, signature: yield* sign(LanesAnswer.encode(answer)) });
}

/** Ends a lane at once: its nonces are burned, its share is erased. */
export function* revokeLane(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, proof } = RevokeRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const authority = yield* recordedAuthority(statement.walletId);
  yield* checkProof(s, credentialOf(authority, proof.credentialId), RevokeStatement.encode(statement), proof);
  yield* transact((tx) => {
    checkStillMember(tx, statement.walletId, proof.credentialId);
    const record = readLane(tx, 'lane', statement);
    // A retired one is revoked as well: the same call may come twice.
    const missing = record ? undefined : missingLane(statement, readKey(tx, statement.keyIndex));
    if (missing && missing.code !== 'epoch_retired') throw missing;
    endLane(tx, statement);
    endSessions(tx, statement);
    tx.delete('staged', laneKeyOf(statement));
  });
  dropLane(s, statement);
  yield* eraseEnded();
  return RevokeAnswer.toJson({ lane: statement.lane });
}
