import { type Json, LIMITS, YaoError } from '@streaming-yao/core';
import { FollowAnswer, FollowRequest, FollowStatement, fromCompact, GRANT_HEADER, Grant } from '@streaming-yao/wire';
import { all, type Program, transact, verify } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { type CeremonyRecord, readCeremony } from './router-record.ts';

/**
 * Tells whoever holds a key of the ceremony's core where it stands; to everybody else there is no such ceremony.
 * @throws YaoError `ceremony_unknown`, `request_expired`
 */
export function* follow(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, signature } = FollowRequest.fromJson(body);
  if (Math.abs(s.now() - statement.issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
  const record = yield* transact((tx) => readCeremony(tx, statement.ceremonyId));
  const message = FollowStatement.encode(statement);
  const signedBy = (publicKey: Uint8Array) => verify({ algorithm: 'ed25519', publicKey, message, signature });
  const own = record && (yield* all(signedBy(record.core.requesterKey), signedBy(record.core.laneKey))).includes(true);
  if (!own || statement.deployment !== s.pins.deployment || statement.walletId !== record.core.walletId) {
    throw new YaoError('ceremony_unknown', 'there is no such ceremony of this device', { party: 'client' });
  }
  const { operation } = record.core;
  return FollowAnswer.toJson({ operation, ...standing(s, record) });
}

/** A ceremony that a crash has left without an end has failed, too, when nobody can be at work on it any more. */
function standing(s: RouterSurroundings, { answer, failure, grant }: CeremonyRecord) {
  if (answer) return { state: 'completed', answer, failure: null } as const;
  if (failure) return { state: 'failed', answer: null, failure } as const;
  const { issuedAtMs } = Grant.decode(fromCompact(GRANT_HEADER, grant, 'grant_invalid').payload);
  const { ceremonyDeadlineMs, callDeadlineMs } = s.settings;
  const over = s.now() > issuedAtMs + 2 * ceremonyDeadlineMs + callDeadlineMs;
  return { state: over ? 'failed' : 'running', answer: null, failure: over ? 'deadline_exceeded' : null } as const;
}
