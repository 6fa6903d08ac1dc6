import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Json } from '@streaming-yao/core';
import { PROFILES, ROLES } from '@streaming-yao/wire';
import { repository } from './bundle.ts';
import { startStack } from './stack.ts';

const MINUTE_MS = 60_000;

/** Enough for a person who tries everything, and little for a script that has run wild. Addresses are all the same on this machine. */
const ADMISSION: { readonly [field: string]: Json } = {
  limits: {
    recover: { wallet: { count: 30, windowMs: MINUTE_MS } },
    refresh: { wallet: { count: 60, windowMs: MINUTE_MS } },
    export: { wallet: { count: 10, windowMs: 10 * MINUTE_MS } },
  },
};

const HELP = `npm start -- [--profile <profile>] [--fresh] [--port <port>] [--folder <folder>] [--admission <file>]

Starts Router, Deriver A, Deriver B and SigningWorker on this machine, each in a process of its own, and stays.

  --profile ${PROFILES.join(' | ')}; default ${PROFILES[0]}. One account: roles reach each other by service
            bindings. Two operators: each reaches the others at their public addresses, as A and B do that are run apart
  --fresh   begin anew: delete wallets and keys of an earlier start
  --port    port of the Router on 127.0.0.1; any free one otherwise
  --folder  where keys, wallets and logs lie; default .streaming-yao/local, or .streaming-yao/two-operators
  --admission  JSON: whom the Router lets in, and how often; otherwise everybody, with limits:
            ${JSON.stringify(ADMISSION.limits)}
  --help

Ctrl-C stops it. A second start on the same folder finds the wallets of the first.`;

function readOptions() {
  try {
    return parseArgs({
      options: {
        fresh: { type: 'boolean', default: false },
        port: { type: 'string' },
        folder: { type: 'string' },
        profile: { type: 'string', default: PROFILES[0] },
        admission: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return process.exit(2);
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port > 0 && port < 65_536) return port;
  console.error('--port is a number from 1 to 65535');
  return process.exit(2);
}

function readProfile(text: string) {
  const profile = PROFILES.find((name) => name === text);
  if (profile) return profile;
  console.error(`--profile is one of ${PROFILES.join(', ')}`);
  return process.exit(2);
}

/** What the file says is checked by the Router, which does not start on nonsense. */
async function readAdmission(file: string | undefined): Promise<typeof ADMISSION> {
  if (file === undefined) return ADMISSION;
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    console.error(`--admission: ${(error as Error).message}`);
    return process.exit(2);
  }
}

const { fresh, port: portText, profile: profileText, folder: chosen, admission: admissionFile, help } = readOptions();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const port = readPort(portText);
const profile = readProfile(profileText);
const admission = await readAdmission(admissionFile);
const folder = chosen ?? path.join(repository, '.streaming-yao', profile === 'one-account' ? 'local' : profile);

let stopping = false;
let stop = async (): Promise<void> => undefined;
const onSignal = async (): Promise<void> => {
  // A terminal sends its signal to us and to our parent, which hands it on: one of the two is enough.
  if (stopping) return;
  stopping = true;
  await starting.catch(() => undefined);
  await stop();
  console.log('stopped');
  process.exit(0);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);

const given = { folder, fresh, profile, admission, page: true, ...(port !== undefined && { port }) };
const starting = startStack({ ...given, endOnSignal: false });
try {
  const stack = await starting;
  stop = stack.stop;
  console.log(`Wallet          ${stack.routerUrl.replace('127.0.0.1', 'localhost')}/`);
  console.log(`Router          ${stack.routerUrl}`);
  for (const role of ROLES) {
    const health = await fetch(`${stack.roles[role].url}/health`);
    const { ready, deployment, profile } = (await health.json()) as Record<string, unknown>;
    console.log(
      `${role.padEnd(15)} ${ready ? 'ready' : 'not ready'}  ${deployment}, ${profile}, process ${stack.roles[role].pid}`,
    );
  }
  console.log(`state           ${stack.folder}`);
  console.log('Ctrl-C stops it');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
