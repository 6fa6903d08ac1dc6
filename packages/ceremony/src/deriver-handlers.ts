import { equalBytes, type Json, YaoError } from '@streaming-yao/core';
import { ActivatedNotice } from '@streaming-yao/wire';
import { readAuthority, readKey, writeAuthority, writeKey } from './deriver-record.ts';
import { type Program, transact } from './program.ts';
import type { DeriverSurroundings } from './role.ts';
import { checkActivation } from './statement.ts';

/** Learns from the SigningWorker's own signature that a key's first lane lives; from then on nothing replaces it. */
export function* activated(s: DeriverSurroundings, body: unknown): Program<Json> {
  const notice = ActivatedNotice.fromJson(body);
  const activation = yield* checkActivation(s.pins, notice.activation);
  if (activation.walletId !== notice.walletId)
    throw new YaoError('request_mismatch', 'the activation is of another wallet', { party: 'router' });
  yield* transact((tx) => {
    const record = readKey(tx, activation);
    if (!record || !equalBytes(record.publicKey, activation.publicKey)) {
      throw new YaoError('key_mismatch', 'the activation is of another key than the one derived here', { party: 'router' });
    }
    const authority = readAuthority(tx, activation.walletId);
    writeKey(tx, activation, { ...record, state: 'active' });
    if (authority) writeAuthority(tx, activation.walletId, { ...authority, established: true });
  });
  return { active: true };
}
