import { dropLane } from './live-lane.ts';
import { recordsUnder, type WalletRecords } from './operator.ts';
import { transact, vaultErase, vaultRead } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { SESSION_TABLE } from './signing-session-record.ts';
import { allLanes, allShares, NAME_TABLE } from './signing-worker-record.ts';

const TABLES = ['authority', 'key', 'lane', 'staged', 'activation', 'share', NAME_TABLE, SESSION_TABLE];

/** A wallet has an object of the SigningWorker to itself: all there is of it is the wallet's. */
export const walletRecords: WalletRecords<SigningWorkerSurroundings> = {
  role: 'signing-worker',
  find: (tx) => recordsUnder(tx, TABLES, ''),
  *clear(s, walletId) {
    const { lanes, shares } = yield* transact((tx) => ({ lanes: allLanes(tx), shares: allShares(tx) }));
    for (const lane of lanes) dropLane(s, { walletId, ...lane });
    let left = 0;
    for (const slot of shares) {
      yield* vaultErase(slot);
      if (yield* vaultRead(slot)) left++;
    }
    return { deleted: shares.length, left };
  },
};
