import { createRequire } from 'node:module';
import path from 'node:path';
import { folderOf, installOnDemand } from '../../tools/install.ts';

/** Two-party garbled circuits from the package registry, and the versions that are measured. */
export const PEERS = { jigg: '1.0.1', 'emp-wasm': '0.3.2' } as const;

export type PeerName = keyof typeof PEERS;

/** @throws Error when the registry cannot be reached */
export async function installPeer(name: PeerName): Promise<void> {
  await installOnDemand(name, PEERS[name]);
}

/** Loads an installed peer. What it exports is described by whoever uses it: the peers' own types do not reach here. */
export function loadPeer(name: PeerName): unknown {
  return createRequire(path.join(folderOf(name, PEERS[name]), 'package.json'))(name);
}
