import type { Effect, Transaction } from '@streaming-yao/ceremony/program';
import { schema } from '@streaming-yao/core';

type VaultEffect = Extract<Effect, { kind: 'vault-write' | 'vault-read' | 'vault-erase' }>;

const VaultRecord = schema.message('simulator vault', { tag: schema.text(/./, 128), sealed: schema.bytesBetween(0, 4096) });

export const VAULT = 'vault';

/** One access to the vault, as a transaction on the object's records: it survives a crash as they do. */
export function vaultAccess(effect: VaultEffect): (transaction: Transaction) => Uint8Array | undefined {
  return (tx) => {
    const { slot, tag } = effect;
    if (effect.kind === 'vault-write') {
      tx.put(VAULT, slot, VaultRecord.encode({ tag, sealed: effect.sealed }));
      return undefined;
    }
    const stored = tx.get(VAULT, slot);
    const found = stored && VaultRecord.decode(stored);
    if (found?.tag !== tag) return undefined;
    if (effect.kind === 'vault-erase') tx.delete(VAULT, slot);
    return effect.kind === 'vault-read' ? found.sealed : undefined;
  };
}

/** Under which tag a slot was written. */
export const tagOf = (slot: Uint8Array): string => VaultRecord.decode(slot).tag;
