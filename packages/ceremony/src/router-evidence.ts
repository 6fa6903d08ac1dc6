import { YaoError } from '@streaming-yao/core';
import { ActivatedNotice, ActivationEvidence, ActivationInquiry, type Authority } from '@streaming-yao/wire';
import { all, call, type Program, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { forgetNotice, noteActivation, readAuthority, readNotices, writeAuthority } from './router-record.ts';

/**
 * Tells both Derivers which of the wallet's keys live, until both have heard it: before, they take a key for pending and act for
 * nobody. Each checks the SigningWorker's signature itself.
 */
export function* announce(s: RouterSurroundings, walletId: string): Program<void> {
  for (const activation of yield* transact((tx) => readNotices(tx, walletId))) {
    try {
      yield* tell(s, walletId, activation);
      yield* transact((tx) => forgetNotice(tx, walletId, activation));
    } catch (error) {
      // One key's notice that is refused stays for the next time, and holds up no other key of the wallet.
      if (!(error instanceof YaoError) || error.retryable) throw error;
    }
  }
}

function* tell(s: RouterSurroundings, walletId: string, activation: string): Program<void> {
  const body = ActivatedNotice.toJson({ walletId, activation });
  const deadlineMs = s.now() + s.settings.callDeadlineMs;
  yield* all(
    call({ role: 'deriver-a', path: '/activated', body, deadlineMs }),
    call({ role: 'deriver-b', path: '/activated', body, deadlineMs }),
  );
}

/**
 * A Router that has lost a write may not know a wallet that lives: it learns of it from the SigningWorker, and lets the Derivers
 * know.
 * @throws YaoError `unknown_wallet`
 */
export function* learn(s: RouterSurroundings, walletId: string): Program<Authority> {
  const body = ActivationInquiry.toJson({ walletId });
  const deadlineMs = s.now() + s.settings.callDeadlineMs;
  const { authority, activations } = ActivationEvidence.fromJson(
    yield* call({ role: 'signing-worker', path: '/activations', body, deadlineMs }),
  );
  yield* transact((tx) => {
    if (!readAuthority(tx, walletId)) writeAuthority(tx, walletId, authority);
    for (const activation of activations) noteActivation(tx, walletId, activation);
  });
  yield* announce(s, walletId);
  return authority;
}
