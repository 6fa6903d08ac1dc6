import type { Json } from '@streaming-yao/core';
import {
  AUDIT_EXPORT_ENTRIES,
  AuditExportAnswer,
  AuditExportRequest,
  AuditExportStatement,
  DeleteRequest,
  DeletionsAnswer,
  SignedDeletion,
} from '@streaming-yao/wire';
import { ALL_RECORDS, checkOperator, deleteWallet, recordsAt, recordsUnder, type WalletRecords } from './operator.ts';
import { all, call, exportAudit, forgetAudit, type PeerRole, type Program } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { ceremoniesOf } from './router-record.ts';

const records: WalletRecords<RouterSurroundings> = {
  role: 'router',
  find: (tx, walletId) => [
    ...recordsAt(tx, ['authority', 'authority-change'], walletId),
    ...recordsUnder(tx, ['root', 'root-owner', 'nonce', 'idempotency', 'notice'], `${walletId}/`),
    ...recordsUnder(tx, ['rate'], `wallet/${walletId}/`),
    ...ceremoniesOf(tx, walletId, ALL_RECORDS),
  ],
  *clear(_, walletId) {
    const deleted = yield* forgetAudit(walletId);
    return { deleted, left: (yield* exportAudit(walletId, 0, AUDIT_EXPORT_ENTRIES)).length };
  },
};

const deleteHere = deleteWallet(records);

/**
 * Has every role delete a wallet: first the one from whose statements the others could learn of it again, the Router last. A
 * repetition is harmless, and finds what a failure has left.
 */
export function* deleteEverywhere(s: RouterSurroundings, body: unknown): Program<Json> {
  const request = DeleteRequest.toJson(DeleteRequest.fromJson(body));
  const tell = function* (role: PeerRole): Program<SignedDeletion> {
    const deadlineMs = s.now() + s.settings.callDeadlineMs;
    return SignedDeletion.fromJson(yield* call({ role, path: '/delete', body: request, deadlineMs }));
  };
  const signingWorker = yield* tell('signing-worker');
  const [a, b] = yield* all(tell('deriver-a'), tell('deriver-b'));
  const own = SignedDeletion.fromJson(yield* deleteHere(s, request));
  return DeletionsAnswer.toJson({ deletions: [own, a, b, signingWorker] });
}

/** Gives the operator a wallet's audit trail, a page at a time. */
export function* exportTrail(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, signature } = AuditExportRequest.fromJson(body);
  yield* checkOperator(s, statement, AuditExportStatement.encode(statement), signature);
  const found = yield* exportAudit(statement.walletId, statement.after, AUDIT_EXPORT_ENTRIES);
  const entries = found.map(({ id, event: { atMs, event, ceremonyId, outcome, receipt } }) => ({
    id,
    entry: { atMs, event, ceremonyId, outcome },
    receipt: receipt ?? null,
  }));
  return AuditExportAnswer.toJson({ entries });
}
