import { type Infer, schema } from '@streaming-yao/core';
import { AuditEntry } from './audit.ts';
import { name, nonce, PROTOCOL, signature, walletId } from './field.ts';
import { role } from './role.ts';

/** Asks every role to delete all that it has of a wallet; the keys of the wallet are lost with it. */
export const DeleteStatement = schema.message(`${PROTOCOL} delete-wallet`, {
  deployment: name,
  walletId,
  issuedAtMs: schema.timeMs,
  nonce,
});

/** Operator → Router → all roles. `POST /v1/operator/delete`; each checks the operator's signature (Ed25519) itself. */
export const DeleteRequest = schema.message(`${PROTOCOL} delete-wallet-request`, {
  statement: DeleteStatement.codec,
  signature,
});
export type DeleteRequest = Infer<typeof DeleteRequest.codec>;

/** A role's statement of what it deleted, and of what it then found when it looked again. */
export const Deletion = schema.message(`${PROTOCOL} deletion`, {
  deployment: name,
  role,
  walletId,
  nonce,
  deleted: schema.u32,
  left: schema.u32,
  atMs: schema.timeMs,
});
export type Deletion = Infer<typeof Deletion.codec>;

/** With the signature of the role's pinned key. */
export const SignedDeletion = schema.message(`${PROTOCOL} signed-deletion`, { statement: Deletion.codec, signature });
export type SignedDeletion = Infer<typeof SignedDeletion.codec>;

/** Router → operator: one of each role. */
export const DeletionsAnswer = schema.message(`${PROTOCOL} deletions-answer`, {
  deletions: schema.list(SignedDeletion.codec, 4, 4),
});

/** Asks the Router for a wallet's audit trail, oldest first, from behind an entry. */
export const AuditExportStatement = schema.message(`${PROTOCOL} audit-export`, {
  deployment: name,
  walletId,
  after: schema.u32,
  issuedAtMs: schema.timeMs,
});

/** Operator → Router. `POST /v1/operator/audit` */
export const AuditExportRequest = schema.message(`${PROTOCOL} audit-export-request`, {
  statement: AuditExportStatement.codec,
  signature,
});
export type AuditExportRequest = Infer<typeof AuditExportRequest.codec>;

const ExportedEntry = schema.struct({
  id: schema.u32,
  entry: AuditEntry,
  /** The receipt that both Derivers signed, as JSON (RFC 7515 section 7.2.1), where the ceremony came to one. */
  receipt: schema.optional(schema.text(/^\{/, 8192)),
});
export type ExportedEntry = Infer<typeof ExportedEntry>;

export const AUDIT_EXPORT_ENTRIES = 100;

/** Router → operator; empty at the end. */
export const AuditExportAnswer = schema.message(`${PROTOCOL} audit-export-answer`, {
  entries: schema.list(ExportedEntry, 0, AUDIT_EXPORT_ENTRIES),
});
