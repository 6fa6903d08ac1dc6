import { YaoError } from '@streaming-yao/core';
import { ActivatedNotice, ActivationEvidence, ActivationInquiry, type Authority } from '@streaming-yao/wire';
import { all, call, type Program, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { readAuthority, writeAuthority } from './router-record.ts';

/** Tells both Derivers that the key lives; each checks the SigningWorker's signature itself. */
export function* announce(s: RouterSurroundings, walletId: string, activation: string): Program<void> {
  const body = ActivatedNotice.toJson({ walletId, activation });
  const deadlineMs = s.now() + s.settings.callDeadlineMs;
  yield* all(
    call({ role: 'deriver-a', path: '/activated', body, deadlineMs }),
    call({ role: 'deriver-b', path: '/activated', body, deadlineMs }),
  );
}

/**
 * A lost write or notice leaves a role ignorant of a wallet that lives: all learn of it from the SigningWorker's statements.
 * @throws YaoError `unknown_wallet`
 */
export function* learn(s: RouterSurroundings, walletId: string): Program<Authority> {
  const body = ActivationInquiry.toJson({ walletId });
  const deadlineMs = s.now() + s.settings.callDeadlineMs;
  const { authority, activations } = ActivationEvidence.fromJson(
    yield* call({ role: 'signing-worker', path: '/activations', body, deadlineMs }),
  );
  for (const activation of activations) yield* announce(s, walletId, activation);
  yield* transact((tx) => readAuthority(tx, walletId) ?? writeAuthority(tx, walletId, authority));
  return authority;
}

/** Runs a program, and once more where a role had to learn of the wallet first. */
export function* knowing<T>(s: RouterSurroundings, walletId: string, program: () => Program<T>): Program<T> {
  try {
    return yield* program();
  } catch (error) {
    if (!(error instanceof YaoError) || error.code !== 'unknown_wallet') throw error;
    yield* learn(s, walletId);
    return yield* program();
  }
}
