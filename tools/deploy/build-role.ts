import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Role } from '@streaming-yao/wire';
import { readConfig } from '@streaming-yao/workers/config';
import { RESOURCES } from '@streaming-yao/workers/resources';
import { buildPage } from '../../apps/wallet/build.ts';
import { bundleWorker, gzipBytes, repository, roleEntry } from '../bundle.ts';
import type { RoleSecrets } from '../keys.ts';
import { configurationOf, type Deployment, PLACES, variablesOf } from './configuration.ts';

/** What the design allows a Worker to weigh. */
const WORKER_KIB = 200;

export interface BuiltRole {
  readonly role: Role;
  /** Path of its wrangler.json. */
  readonly configuration: string;
  /** Compressed, as Cloudflare counts an upload. */
  readonly bytes: number;
}

/**
 * Makes the folder of a role that wrangler deploys from: Worker, WebAssembly, wrangler.json; migrations and page of the Router.
 * @param secrets of the role, which are checked together with its variables and written nowhere
 * @throws YaoError `config_invalid` when the role would refuse to start; Error when it is too large
 */
export async function buildRole(role: Role, deployment: Deployment, secrets: RoleSecrets, folder: string): Promise<BuiltRole> {
  readConfig(role, { ...variablesOf(role, deployment), ...secrets });
  const bundle = await bundleWorker(roleEntry(role), { minify: true });
  const bytes = gzipBytes(bundle);
  if (bytes > WORKER_KIB * 1024) throw new Error(`the Worker of ${role} has ${bytes} bytes, more than ${WORKER_KIB} KiB`);
  const place = path.join(folder, role);
  await rm(place, { recursive: true, force: true });
  await mkdir(path.join(place, PLACES.worker), { recursive: true });
  await writeFile(path.join(place, PLACES.worker, PLACES.main), bundle.code);
  for (const [name, module] of bundle.wasm) await writeFile(path.join(place, PLACES.worker, name), module);
  const { database, page } = RESOURCES[role];
  if (database) {
    await cp(path.join(repository, 'packages', 'workers', 'migrations'), path.join(place, PLACES.migrations), {
      recursive: true,
    });
  }
  if (page && deployment.description.page) await buildPage({ pins: deployment.pins, folder: path.join(place, PLACES.page) });
  const configuration = path.join(place, 'wrangler.json');
  await writeFile(configuration, `${JSON.stringify(configurationOf(role, deployment), null, 2)}\n`);
  return { role, configuration, bytes };
}
