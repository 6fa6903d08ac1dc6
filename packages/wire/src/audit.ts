import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { name, PROTOCOL, walletId } from './field.ts';
import { bySession } from './session.ts';

/** Asks for what the Router has noted about a wallet. */
export const AuditStatement = schema.message(`${PROTOCOL} audit`, { deployment: name, walletId, issuedAtMs: schema.timeMs });

/** Client → Router. `POST /v1/audit`, in a session of one of the wallet's credentials. */
export const AuditRequest = schema.message(`${PROTOCOL} audit-request`, { statement: AuditStatement.codec, ...bySession });
export type AuditRequest = Infer<typeof AuditRequest.codec>;

export const AuditEntry = schema.struct({
  atMs: schema.timeMs,
  event: schema.text(/^[a-z-]+$/, 32),
  /** Lower-case hex; absent where there was no ceremony. */
  ceremonyId: schema.optional(schema.text(/^[0-9a-f]{64}$/, 64)),
  /** `ok`, or an error's code. */
  outcome: schema.text(/^[a-z_]+$/, 64),
});
export type AuditEntry = Infer<typeof AuditEntry>;

/** Router → client: the newest entries, newest first. */
export const AuditAnswer = schema.message(`${PROTOCOL} audit-answer`, {
  entries: schema.list(AuditEntry, 0, LIMITS.auditEntries),
});
