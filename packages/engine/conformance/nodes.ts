import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Older Nodes that the engine must run on, by major version. */
export const OLDER_NODES = { 20: '20.20.2', 22: '22.23.5' } as const;

const cache = path.join(import.meta.dirname, '..', '..', '..', '.streaming-yao', 'nodes');

/**
 * The executable of an older Node, installed from the package registry into the project's cache the first time.
 * @throws Error when the registry cannot be reached, or has none for this platform
 */
export async function olderNode(major: keyof typeof OLDER_NODES): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const version = OLDER_NODES[major];
  const executable = path.join('node_modules', name, 'bin', 'node');
  const folder = path.join(cache, version);
  if (existsSync(folder)) return path.join(folder, executable);
  // An interrupted or parallel installation must not leave half a Node under the final name.
  const part = `${folder}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  await writeFile(path.join(part, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', install, { cwd: part, encoding: 'utf8' });
  if (status !== 0 || !existsSync(path.join(part, executable))) throw new Error(`could not install Node ${version}:\n${stderr}`);
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
  return path.join(folder, executable);
}
