import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Two-party garbled circuits from the package registry, and the versions that are measured. */
export const PEERS = { jigg: '1.0.1', 'emp-wasm': '0.3.2' } as const;

export type PeerName = keyof typeof PEERS;

const cache = path.join(import.meta.dirname, '..', '..', '.streaming-yao', 'peers');
const folderOf = (name: PeerName): string => path.join(cache, `${name}-${PEERS[name]}`);

/**
 * Installs a peer into a folder of its own, which nothing but these measurements reads; the first time only.
 * @throws Error when the registry cannot be reached
 */
export async function installPeer(name: PeerName): Promise<void> {
  const folder = folderOf(name);
  if (existsSync(folder)) return;
  // An interrupted installation must not leave half a package under the final name.
  const part = `${folder}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  await writeFile(path.join(part, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `${name}@${PEERS[name]}`];
  const { status, stderr } = spawnSync('npm', install, { cwd: part, encoding: 'utf8' });
  if (status !== 0) throw new Error(`could not install ${name} ${PEERS[name]}:\n${stderr}`);
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
}

/** Loads an installed peer. What it exports is described by whoever uses it: the peers' own types do not reach here. */
export function loadPeer(name: PeerName): unknown {
  return createRequire(path.join(folderOf(name), 'package.json'))(name);
}
