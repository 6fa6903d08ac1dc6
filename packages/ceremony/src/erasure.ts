import { type Program, transact, vaultErase } from './program.ts';
import { endedShares, forgetShare } from './signing-worker-record.ts';

/** Erases the shares that no lane has any more; whatever a crash leaves is erased when the object wakes. */
export function* eraseEnded(): Program<void> {
  for (const slot of yield* transact(endedShares)) {
    yield* vaultErase(slot);
    yield* transact((tx) => forgetShare(tx, slot));
  }
}
