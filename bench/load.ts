import { parseArgs } from 'node:util';
import { PROFILES } from '@streaming-yao/wire';
import { type LoadOptions, type LoadResult, load } from './load/run.ts';
import { busyness, machineClass } from './machine.ts';
import { tableOf } from './table.ts';
import { withStack } from './with-stack.ts';

const HELP = `npm run load [-- --ceremonies 1000] [--signatures 20000] [--clients 1,4,16] [--kill-every-ms 3000] [--profile PROFILE] [--json]

Loads a local stack with clients that come and go: each makes a wallet, signs, refreshes, signs, is lost, recovers on another
device and signs. The last part kills one role after another while it goes on. Checks every signature with node:crypto, that no
nonce signed two messages, that nothing failed where nothing was killed, that no wallet is lost, and that memory stays flat.

  --ceremonies     how many in all; about: whole lives of a wallet are led
  --signatures     how many in all
  --clients        how many clients are there at once, one number for each part
  --kill-every-ms  how often a role is killed in the last part; 0 leaves that part out
  --profile        ${PROFILES.join(' | ')}
  --json           the last line of stdout is the result as data; all else goes to stderr
  --help
`;

/** By how much a process may grow from the first part to the last; garbage comes and goes. */
const GROWTH_MB = 96;

function wholeNumber(text: string, name: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`--${name} needs a whole number, not ${text}`);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      ceremonies: { type: 'string', default: '1000' },
      signatures: { type: 'string', default: '20000' },
      clients: { type: 'string', default: '1,4,16' },
      'kill-every-ms': { type: 'string', default: '3000' },
      profile: { type: 'string', default: PROFILES[0] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const profile = PROFILES.find((name) => name === values.profile);
  if (!profile) throw new Error(`--profile is one of ${PROFILES.join(', ')}`);
  const options: LoadOptions = {
    ceremonies: wholeNumber(values.ceremonies, 'ceremonies'),
    signatures: wholeNumber(values.signatures, 'signatures'),
    clients: values.clients.split(',').map((count) => wholeNumber(count, 'clients')),
    killEveryMs: wholeNumber(values['kill-every-ms'], 'kill-every-ms'),
  };
  return { options, profile, json: values.json, help: values.help };
}

/** What is wrong with a result, in words. */
function faultsOf({ failures, walletsLost, memoryMb }: LoadResult): readonly string[] {
  const failed = Object.entries(failures).map(([code, count]) => `${count} × ${code} while nothing was killed`);
  const grown = Object.entries(memoryMb.after)
    .map(([role, mb]) => ({ role, growth: mb - (memoryMb.before[role] ?? 0) }))
    .filter(({ growth }) => growth > GROWTH_MB)
    .map(({ role, growth }) => `${role} grew by ${growth} MiB`);
  return [...failed, ...(walletsLost > 0 ? [`${walletsLost} wallets do not sign any more`] : []), ...grown];
}

async function main(): Promise<void> {
  const { options, profile, json, help } = readOptions();
  if (help) return void process.stdout.write(HELP);
  const busy = busyness();
  const result = await withStack({ profile }, (stack) =>
    load(stack, options, (text) => void process.stderr.write(`${text} …\n`)),
  );
  const faults = faultsOf(result);
  const { kills, failuresUnderKills, memoryMb, storedBytesPerWallet } = result;
  const out = json ? process.stderr : process.stdout;
  out.write(
    `Measured ${new Date().toISOString().slice(0, 10)} with Node ${process.version} on ${machineClass()}${busy}. Medians.\n\n`,
  );
  out.write(`${tableOf(result.figures)}\n\n`);
  out.write(`${kills} kills; failed meanwhile and tried again: ${JSON.stringify(failuresUnderKills)}\n`);
  out.write(`memory, MiB: ${JSON.stringify(memoryMb)}; ${storedBytesPerWallet} bytes stored per wallet\n`);
  for (const fault of faults) out.write(`FAILED: ${fault}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ ...result, faults })}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
