import {
  acceptShare,
  conclude,
  decodePending,
  type Finished,
  type Lane,
  obtainLane,
  pendingName,
} from '@streaming-yao/ceremony/client';
import { keep, type Program, recall } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { encodeLane, laneName } from './records.ts';
import { intentOf, type Wallet } from './wallet.ts';

/** Registers the wallet's key, or goes on with a registration whose answer never came. */
export function* register(s: ClientSurroundings, wallet: Wallet): Program<Finished<Lane>> {
  const name = pendingName(wallet.walletId, 0);
  const kept = yield* recall(name);
  const finished = kept
    ? yield* conclude(s, decodePending(kept), acceptShare)
    : yield* obtainLane(s, yield* intentOf(s, wallet, 'register', null), wallet.device.root);
  using record = encodeLane(finished.result);
  yield* keep(laneName(wallet.walletId), record);
  yield* keep(name, null);
  return finished;
}
