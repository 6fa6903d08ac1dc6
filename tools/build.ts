import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Pins, ROLES } from '@streaming-yao/wire';
import { buildPage } from '../apps/wallet/build.ts';
import { bundleWorker, clientBytes, gzipBytes, roleEntry } from './bundle.ts';
import { generateKeys } from './keys.ts';

const HELP = `npm run build [-- --pins <pins.json> --page <folder>]

Bundles every role's Worker as it would be uploaded, the client library and the wallet page, and says how large they are.

  --pins  the verification keys of a deployment, which become part of its wallet page
  --page  where the page's files go, for the Router to serve as static assets under the binding PAGE
  --help
`;

function say(what: string, bytes: number, more = ''): void {
  console.log(`${what.padEnd(15)} ${(bytes / 1024).toFixed(1).padStart(6)} KiB gzip${more}`);
}

/** What the design allows an app's page to load. */
const CLIENT_KIB = 90;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { pins: { type: 'string' }, page: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) return void process.stdout.write(HELP);
  if ((values.pins === undefined) !== (values.page === undefined)) throw new Error('--pins and --page go together');
  for (const role of ROLES) {
    const bundle = await bundleWorker(roleEntry(role), { minify: true });
    say(role, gzipBytes(bundle), `, ${bundle.inputs.length} source files`);
  }
  const client = await clientBytes();
  say('client', client, ' for a browser, group.wasm included');
  say('wallet page', await pageBytes(values.pins, values.page), ', group.wasm included');
  if (client > CLIENT_KIB * 1024) throw new Error(`the client library is larger than ${CLIENT_KIB} KiB`);
}

/** Builds a deployment's page; without one, a page of the same size that is thrown away. */
async function pageBytes(pinsFile: string | undefined, page: string | undefined): Promise<number> {
  const pins = pinsFile
    ? Pins.fromJson(JSON.parse(await readFile(pinsFile, 'utf8')))
    : generateKeys({ deployment: 'local', profile: 'one-account' }).pins;
  const folder = page ?? (await mkdtemp(path.join(tmpdir(), 'wallet-page-')));
  const sizes = await buildPage({ pins, folder });
  if (page === undefined) await rm(folder, { recursive: true });
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
