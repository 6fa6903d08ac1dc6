import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { KEY_FORMATS, type WalletEvent } from '@streaming-yao/client';
import { errorBody, YaoError } from '@streaming-yao/core';
import { MESSAGE_KINDS } from '@streaming-yao/wire';
import { repository } from './bundle.ts';
import { COMMANDS, type Outcome } from './yao/commands.ts';
import { openDevice, wholeNumber } from './yao/device.ts';
import { openState, rememberPlace, resolvePlace } from './yao/place.ts';

const HELP = `npm run yao -- <command> [options]

A wallet on this machine: an Ed25519 key that nobody holds, made and used together with a deployment's roles.

  register [--recovery]             makes a key; with --recovery a phrase that can recover it, shown once
  sign TEXT | --file F | --hex H    signs a message; prints 64 bytes in hex
     [--session ID]                 counts it in a signing session
     [--explain] [--prefetch]       says how it was made; fetches commitments first, so that they are at hand
  session open [--uses N] [--minutes M] [--kinds K,K]
                                    approves of N signatures at once: ${MESSAGE_KINDS.join(', ')}
  session list | close ID           the sessions of this device's lane that are open
  refresh                           replaces both shares of this device; the old ones are useless
  recover --phrase-file F           makes this device the wallet's, from the phrase alone ("-" reads stdin)
     [--keep-lanes]                 without it every other device ends
  link offer                        on a new device: prints a code for the other one
  link approve OFFER                on a device of the wallet: prints a code for the new one
  link accept APPROVAL              on the new device: takes its lane over
  export --format F [--out FILE]    gives the whole key out: ${KEY_FORMATS.join(', ')}
  lanes                             the devices that can sign, and their names
  lanes name [LANE] NAME            names this device, or the one of another lane
  revoke LANE                       ends one of them at once
  credentials [add-phrase | remove ID]
  status [CEREMONY]                 this device's lane, or where one of its ceremonies stands
  resume                            ends what a crash has interrupted

  --router URL   address of the Router, and
  --pins FILE    the deployment's pins.json: both at the first command, remembered in the state
  --state DIR    what this device keeps, sealed; default .streaming-yao/wallet
  --wallet ID    name of the wallet; a new one otherwise
  --key N        which of the wallet's keys; 0 otherwise
  --name NAME    what this device is called when it gets a lane by register, recover or link accept
  --json         the last line of stdout is one JSON object
  --quiet        no progress on stderr
  --help

YAO_PASSPHRASE seals the state with a passphrase; else its key lies beside it in a file of yours alone.
`;

const OPTIONS = {
  router: { type: 'string' },
  pins: { type: 'string' },
  state: { type: 'string', default: path.join(repository, '.streaming-yao', 'wallet') },
  wallet: { type: 'string' },
  key: { type: 'string', default: '0' },
  name: { type: 'string' },
  recovery: { type: 'boolean', default: false },
  'keep-lanes': { type: 'boolean', default: false },
  'phrase-file': { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
  file: { type: 'string' },
  hex: { type: 'string' },
  session: { type: 'string' },
  explain: { type: 'boolean', default: false },
  prefetch: { type: 'boolean', default: false },
  uses: { type: 'string', default: '20' },
  minutes: { type: 'string', default: '15' },
  kinds: { type: 'string' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** What the help says of one command, and the options; all of it for none or an unknown one. */
function helpOn(command: string | undefined): string {
  const [title, about, commands = '', ...options] = HELP.split('\n\n');
  const entries = commands.split(/\n(?= {2}\S)/);
  const own = entries.filter((entry) => entry.trim().split(' ')[0] === command);
  return own.length === 0 ? HELP : [title, about, own.join('\n'), ...options].join('\n\n');
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${HELP}`);
  return process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const { values, positionals } = readOptions();
const [name, ...args] = positionals;

function progress(event: WalletEvent): void {
  if (values.quiet || event.kind === 'approval') return;
  const what = event.kind === 'request' ? `  ${event.path}` : event.kind === 'operation' ? event.operation : event.kind;
  if (event.state === 'started') process.stderr.write(`${what} …\n`);
  else if (event.state === 'failed') process.stderr.write(`${what}: failed${event.code ? `, ${event.code}` : ''}\n`);
}

async function readText(file: string): Promise<string> {
  if (file !== '-') return readFile(file, 'utf8');
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function perform(): Promise<Outcome> {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return refuse(name === undefined ? 'which command?' : `there is no command "${name}"`);
  const { router, pins: pinsFile, wallet: walletId, 'phrase-file': phraseFile } = values;
  if (name === 'recover' && phraseFile === undefined) return refuse('recover needs --phrase-file');
  const folder = path.resolve(values.state);
  const place = await resolvePlace(folder, { router, pinsFile, walletId });
  const storage = await openState(folder, process.env.YAO_PASSPHRASE);
  await rememberPlace(folder, place);
  const phrase = phraseFile === undefined ? undefined : await readText(phraseFile);
  const device = await openDevice(place, storage, progress, { phrase, deviceName: values.name });
  const { recovery, 'keep-lanes': keepLanes, format, out, file, hex, session, explain, prefetch, uses, minutes, kinds } = values;
  const keyIndex = wholeNumber(values.key, '--key');
  return command(device, args, {
    ...{ keyIndex, recovery, keepLanes, format, out, file, hex, session, explain, prefetch, uses, minutes, kinds },
  });
}

/** What to do about an error, where the message does not say it. */
function nextStep({ code, party, retryable }: YaoError): string {
  if (code === 'peer_failed' && party === 'router') return 'is the Router there? "npm start" starts one on this machine';
  if (code === 'not_ready') return 'run "register", "recover" or "link" first';
  if (code === 'budget_exhausted' || code.startsWith('session_'))
    return 'open one with "session open", and name it with --session';
  if (code === 'epoch_retired') return 'this device is no longer the wallet’s; link or recover it again';
  return retryable ? 'trying again can help; "resume" ends what was interrupted' : 'docs/errors.md explains every code';
}

function report(error: unknown): void {
  const known = error instanceof YaoError ? error : undefined;
  if (values.json) process.stdout.write(`${JSON.stringify(errorBody(error))}\n`);
  process.stderr.write(known ? `${known.code}: ${known.message}\n  ${nextStep(known)}\n` : `${String(error)}\n`);
  if (known?.ceremonyId) process.stderr.write(`  "status ${known.ceremonyId}" tells where the ceremony stands\n`);
  process.exitCode = 1;
}

if (values.help) process.stdout.write(helpOn(name));
else {
  await perform().then(({ lines, data }) => {
    for (const line of lines) (values.json ? process.stderr : process.stdout).write(`${line}\n`);
    if (values.json) process.stdout.write(`${JSON.stringify(data)}\n`);
  }, report);
}
