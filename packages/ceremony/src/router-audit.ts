import { type Json, LIMITS, YaoError } from '@streaming-yao/core';
import { AuditAnswer, AuditRequest, AuditStatement } from '@streaming-yao/wire';
import { checkFresh, checkSession, credentialOf } from './credential-proof.ts';
import { type Program, readAudit, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { readAuthority } from './router-record.ts';

/**
 * Shows a wallet's audit trail to its owner.
 * @throws YaoError `unknown_wallet`, `authorization_invalid`, `request_expired`
 */
export function* showAudit(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, session, signature } = AuditRequest.fromJson(body);
  const { walletId } = statement;
  checkFresh(s, s.now(), statement);
  const authority = yield* transact((tx) => readAuthority(tx, walletId));
  if (!authority) throw new YaoError('unknown_wallet', `no wallet ${walletId} is registered here`, { party: 'client' });
  const credential = credentialOf(authority, session.proof.credentialId);
  yield* checkSession(s, credential, { nowMs: s.now(), session, statement: AuditStatement.encode(statement), signature });
  const events = yield* readAudit(walletId, LIMITS.auditEntries);
  return AuditAnswer.toJson({ entries: events.map(({ walletId: _, ...entry }) => entry) });
}
