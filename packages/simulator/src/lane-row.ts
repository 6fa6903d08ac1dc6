import { toHex } from '@streaming-yao/core';
import type { Actor } from './actor.ts';

/** A lane as the SigningWorker's records have it. */
export interface LaneRow {
  readonly walletId: string;
  /** Key index and lane. */
  readonly name: string;
  readonly epoch: number;
  /** Lower-case hex. */
  readonly ceremonyId: string;
}

/** The active or the waiting lanes of a SigningWorker's object. */
export function laneRows({ name: actor, store }: Actor, table: 'lane' | 'staged'): readonly LaneRow[] {
  const walletId = actor.slice('signing-worker/wallet-'.length);
  return [...(store?.entries() ?? [])].flatMap((record) => {
    if (record.table !== table) return [];
    // It begins with its domain tag, a length before it; then come epoch and ceremony id.
    const fields = record.value.subarray(1 + (record.value[0] ?? 0));
    const epoch = new DataView(fields.buffer, fields.byteOffset).getUint32(0);
    return [{ walletId, name: record.key, epoch, ceremonyId: toHex(fields.slice(4, 36)) }];
  });
}
