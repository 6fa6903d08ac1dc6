import { exportSeed, type Finished, pendingName } from '@streaming-yao/ceremony/client';
import { keep, type Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import type { SecretBytes } from '@streaming-yao/core';
import { lanesOf } from './lanes.ts';
import { ownLane } from './obtain.ts';
import { intentOf, type Wallet } from './wallet.ts';

/** Exports the seed of the wallet's key. */
export function* exportKey(s: ClientSurroundings, wallet: Wallet): Program<Finished<SecretBytes>> {
  const { lane, epoch, publicKey } = yield* ownLane(wallet);
  const { authority } = yield* lanesOf(s, wallet);
  const intent = intentOf(s, wallet, 'export', { registeredKey: publicKey, lane, expectedEpoch: epoch }, authority);
  const finished = yield* exportSeed(s, intent, wallet.device.root);
  yield* keep(pendingName(wallet.walletId, 0), null);
  return finished;
}
