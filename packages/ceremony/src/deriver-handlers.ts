import { type Json, toHex, YaoError } from '@streaming-yao/core';
import { ActivatedNotice, type DeriverRole, walletOfCore } from '@streaming-yao/wire';
import { updateAuthority, walletOfAuthority } from './authority-update.ts';
import { type AskedCeremony, askedOf } from './deriver.ts';
import { establishKey, readAuthority, walletRecords, writeAuthority } from './deriver-record.ts';
import { keys } from './hpke-keys.ts';
import { deleteWallet, walletOfDeletion } from './operator.ts';
import { type Program, transact } from './program.ts';
import type { DeriverSurroundings, Handlers } from './role.ts';
import { checkActivation } from './statement.ts';

/** What the Router asks of either Deriver. @param ceremony the role's own part */
export function derivingHandlers(
  self: DeriverRole,
  ceremony: (s: DeriverSurroundings, asked: AskedCeremony) => Program<Json>,
): Handlers<DeriverSurroundings> {
  const asked = askedOf(self);
  return {
    '/ceremony': {
      caller: 'router',
      wallet: walletOfCore,
      joinKey: (body) => toHex(asked(body).ceremonyId),
      program: (s, body) => ceremony(s, asked(body)),
    },
    '/activated': { caller: 'router', wallet: (body) => ActivatedNotice.fromJson(body).walletId, program: activated },
    '/authority': {
      caller: 'router',
      wallet: walletOfAuthority,
      program: updateAuthority({ read: readAuthority, write: writeAuthority }),
    },
    '/keys': { caller: 'router', program: keys(self) },
    '/delete': { caller: 'router', wallet: walletOfDeletion, program: deleteWallet(walletRecords(self)) },
  };
}

/** Learns from the SigningWorker's own signature that a key's first lane lives; from then on nothing replaces it. */
function* activated(s: DeriverSurroundings, body: unknown): Program<Json> {
  const notice = ActivatedNotice.fromJson(body);
  const activation = yield* checkActivation(s.pins, notice.activation);
  if (activation.walletId !== notice.walletId)
    throw new YaoError('request_mismatch', 'the activation is of another wallet', { party: 'router' });
  yield* transact((tx) => establishKey(tx, activation, activation.ceremonyId, activation.publicKey));
  return { active: true };
}
