import { exportSeed, type Finished, type Lane, pendingName } from '@streaming-yao/ceremony/client';
import { keep, type Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import type { SecretBytes } from '@streaming-yao/core';
import { intentOf, type Wallet } from './wallet.ts';

/** Exports the seed of the wallet's key. */
export function* exportKey(s: ClientSurroundings, wallet: Wallet, lane: Lane): Program<Finished<SecretBytes>> {
  const finished = yield* exportSeed(s, yield* intentOf(s, wallet, 'export', lane.publicKey), wallet.device.root);
  yield* keep(pendingName(wallet.walletId, 0), null);
  return finished;
}
