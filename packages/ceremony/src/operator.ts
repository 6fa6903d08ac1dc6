import { type Json, YaoError } from '@streaming-yao/core';
import { DeleteRequest, DeleteStatement, Deletion, type Role, SignedDeletion } from '@streaming-yao/wire';
import { checkFresh } from './credential-proof.ts';
import { type Program, sign, type Transaction, transact, verify } from './program.ts';
import type { RoleSurroundings } from './role.ts';

/** Longest list of one table that a deletion looks through. */
export const ALL_RECORDS = 1_000_000;

/** A record's place. */
export interface RecordName {
  readonly table: string;
  readonly key: string;
}

/** Names the records of `tables` whose keys begin with `prefix`. */
export function recordsUnder(tx: Transaction, tables: readonly string[], prefix: string): readonly RecordName[] {
  return tables.flatMap((table) => tx.list(table, prefix, ALL_RECORDS).map(({ key }) => ({ table, key })));
}

/** Names the record of each of `tables` under `key`, where there is one. */
export function recordsAt(tx: Transaction, tables: readonly string[], key: string): readonly RecordName[] {
  return tables.flatMap((table) => (tx.get(table, key) ? [{ table, key }] : []));
}

/**
 * Whether the operator whose key this role was started with signed a statement of now.
 * @throws YaoError `authorization_invalid`, `request_mismatch`, `request_expired`
 */
export function* checkOperator(
  s: RoleSurroundings,
  statement: { readonly deployment: string; readonly issuedAtMs: number },
  message: Uint8Array,
  signature: Uint8Array,
): Program<void> {
  checkFresh(s, s.now(), statement);
  const { operator } = s;
  if (operator && (yield* verify({ algorithm: 'ed25519', publicKey: operator, message, signature }))) return;
  const why = operator
    ? 'this is not signed by the operator of this deployment'
    : 'this role was started without an operator’s key';
  throw new YaoError('authorization_invalid', why, { party: 'operator' });
}

export const walletOfDeletion = (body: unknown): string => DeleteRequest.fromJson(body).statement.walletId;

/** What a role has of a wallet, and how it gets rid of it. */
export interface WalletRecords<S extends RoleSurroundings> {
  readonly role: Role;
  find(tx: Transaction, walletId: string): readonly RecordName[];
  /** Deletes what lies elsewhere than in records. @returns how much that was, and how much was there still when looked for again */
  clear?(s: S, walletId: string): Program<Pick<Deletion, 'deleted' | 'left'>>;
}

/**
 * Deletes everything that a role has of a wallet, looks again, and signs what it found.
 * @throws YaoError as {@link checkOperator}
 */
export function deleteWallet<S extends RoleSurroundings>(records: WalletRecords<S>) {
  return function* (s: S, body: unknown): Program<Json> {
    const { statement, signature } = DeleteRequest.fromJson(body);
    yield* checkOperator(s, statement, DeleteStatement.encode(statement), signature);
    const { deployment, walletId, nonce } = statement;
    const elsewhere = records.clear ? yield* records.clear(s, walletId) : { deleted: 0, left: 0 };
    const deleted = yield* transact((tx) => {
      const found = records.find(tx, walletId);
      for (const { table, key } of found) tx.delete(table, key);
      return found.length;
    });
    const left = yield* transact((tx) => records.find(tx, walletId).length);
    const counts = { deleted: deleted + elsewhere.deleted, left: left + elsewhere.left };
    const deletion = { deployment, role: records.role, walletId, nonce, ...counts, atMs: s.now() };
    return SignedDeletion.toJson({ statement: deletion, signature: yield* sign(Deletion.encode(deletion)) });
  };
}
