import { type Json, LIMITS, YaoError } from '@streaming-yao/core';
import { LanesAnswer, LanesRequest, LanesStatement, RevokeAnswer, RevokeRequest, RevokeStatement } from '@streaming-yao/wire';
import { eraseRetired } from './activation.ts';
import { checkStatement } from './authorization.ts';
import { dropLane } from './live-lane.ts';
import { type Program, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import {
  laneKeyOf,
  lanesOf,
  missingLane,
  noteErasure,
  readAuthority,
  readKey,
  readLane,
  slotOf,
} from './signing-worker-record.ts';

type Statement = { readonly deployment: string; readonly issuedAtMs: number; readonly walletId: string };

/** @throws YaoError `request_mismatch`, `request_expired`, `unknown_wallet`, `authorization_invalid` */
function* checkedAuthority(
  s: SigningWorkerSurroundings,
  statement: Statement,
  credentialId: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) {
  if (statement.deployment !== s.pins.deployment)
    throw new YaoError('request_mismatch', `this is deployment ${s.pins.deployment}`, { party: 'client' });
  if (Math.abs(s.now() - statement.issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
  const authority = yield* transact(readAuthority);
  if (!authority) throw new YaoError('unknown_wallet', `no wallet ${statement.walletId} is registered here`, { party: 'client' });
  yield* checkStatement(authority, credentialId, message, signature);
  return authority;
}

/** Lists a key's lanes to one of the wallet's credentials. */
export function* listLanes(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, credentialId, signature } = LanesRequest.fromJson(body);
  const authority = yield* checkedAuthority(s, statement, credentialId, LanesStatement.encode(statement), signature);
  const { key, lanes } = yield* transact((tx) => ({
    key: readKey(tx, statement.keyIndex),
    lanes: lanesOf(tx, statement.keyIndex),
  }));
  if (!key)
    throw new YaoError('unknown_wallet', `this wallet has no key ${statement.keyIndex}; register it first`, { party: 'client' });
  const facts = lanes.map(({ lane, record }) => ({ lane, ...record }));
  return LanesAnswer.toJson({ ...key, lanes: facts, authority });
}

/** Ends a lane at once: its nonces are burned, its share is erased. */
export function* revokeLane(s: SigningWorkerSurroundings, body: unknown): Program<Json> {
  const { statement, credentialId, signature } = RevokeRequest.fromJson(body);
  yield* checkedAuthority(s, statement, credentialId, RevokeStatement.encode(statement), signature);
  yield* transact((tx) => {
    const record = readLane(tx, 'lane', statement);
    if (!record) throw missingLane(statement, readKey(tx, statement.keyIndex));
    tx.delete('lane', laneKeyOf(statement));
    tx.delete('staged', laneKeyOf(statement));
    noteErasure(tx, slotOf(statement, record));
  });
  dropLane(s, statement);
  yield* eraseRetired();
  return RevokeAnswer.toJson({ lane: statement.lane });
}
