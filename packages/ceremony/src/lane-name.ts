import { type Infer, type Json, schema, YaoError } from '@streaming-yao/core';
import { deviceName, NameAnswer, NameRequest, NameStatement, PROTOCOL } from '@streaming-yao/wire';
import { checkFresh, checkLaneKey, checkProof, credentialOf } from './credential-proof.ts';
import { type Program, type Transaction, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import {
  checkStillMember,
  laneKeyOf,
  missingLane,
  NAME_TABLE,
  readKey,
  readLane,
  recordedAuthority,
} from './signing-worker-record.ts';

/** What a lane's device is called, by the statement of `namedAtMs`. It stays with the lane through its epochs. */
const NameRecord = schema.message(`${PROTOCOL} lane-name-record`, { name: deviceName, namedAtMs: schema.timeMs });
type LaneOfWallet = Parameters<typeof laneKeyOf>[0];

function readRecord(tx: Transaction, lane: LaneOfWallet): Infer<typeof NameRecord.codec> | undefined {
  const stored = tx.get(NAME_TABLE, laneKeyOf(lane));
  return stored && NameRecord.decode(stored);
}

export const readName = (tx: Transaction, lane: LaneOfWallet): string | null => readRecord(tx, lane)?.name ?? null;

/**
 * Names a lane's device, at the wish of the device itself or of one of the wallet's credentials.
 * @throws YaoError `authorization_invalid`, `lane_unknown`, `epoch_retired`; `request_expired` when it has been named later
 */
export function* nameLane(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, author } = NameRequest.fromJson(body);
  checkFresh(s, s.now(), statement);
  const message = NameStatement.encode(statement);
  const authority = yield* recordedAuthority(statement.walletId);
  const { laneKey } = yield* transact((tx) => requiredLane(tx, statement));
  if (author.kind === 'lane') yield* checkLaneKey(laneKey, message, author.signature);
  else yield* checkProof(s, credentialOf(authority, author.proof.credentialId), message, author.proof);
  yield* transact((tx) => {
    if (author.kind === 'credential') checkStillMember(tx, statement.walletId, author.proof.credentialId);
    requiredLane(tx, statement);
    const { name, issuedAtMs } = statement;
    const before = readRecord(tx, statement);
    if (before && before.namedAtMs >= issuedAtMs && before.name !== name)
      throw new YaoError('request_expired', 'this lane has been given a name since; name it again', { party: 'client' });
    tx.put(NAME_TABLE, laneKeyOf(statement), NameRecord.encode({ name, namedAtMs: issuedAtMs }));
  });
  return NameAnswer.toJson({ lane: statement.lane });
}

function requiredLane(tx: Transaction, lane: LaneOfWallet) {
  const record = readLane(tx, 'lane', lane);
  if (record) return record;
  throw missingLane(lane, readKey(tx, lane.keyIndex));
}
