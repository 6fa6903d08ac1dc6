import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from './bundle.ts';

/** Where a package lies that is installed on demand: a folder of its own, which nothing else reads. */
export const folderOf = (name: string, version: string): string =>
  path.join(repository, '.streaming-yao', 'packages', `${name}-${version}`);

/**
 * Installs a package that is too large or too rarely needed to be a dependency; the first time only. No install script runs.
 * @returns its folder
 * @throws Error when the registry cannot be reached
 */
export async function installOnDemand(name: string, version: string): Promise<string> {
  const folder = folderOf(name, version);
  if (existsSync(folder)) return folder;
  // An interrupted installation must not leave half a package under the final name.
  const part = `${folder}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  await writeFile(path.join(part, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', install, { cwd: part, encoding: 'utf8' });
  if (status !== 0) throw new Error(`could not install ${name} ${version}:\n${stderr}`);
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
  return folder;
}
