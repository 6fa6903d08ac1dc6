import { parseArgs } from 'node:util';
import { PROFILES } from '@streaming-yao/wire';
import { type LoadOptions, type LoadResult, load } from './load/run.ts';
import { busyness, machineClass } from './machine.ts';
import { writeLoadReport } from './report/load-page.ts';
import { tableOf } from './table.ts';
import { withStack } from './with-stack.ts';

const HELP = `npm run load [-- --ceremonies 1000] [--signatures 20000] [--clients 1,4,16] [--kill-every-ms 3000] [--profile PROFILE] [--json]
                 [--write-docs]

Loads a local stack with clients that come and go: each makes a wallet, signs, refreshes, signs, is lost, recovers on another
device and signs. The last part kills one role after another while it goes on. Checks every signature with node:crypto, that no
nonce signed two messages, that nothing failed where nothing was killed, that no wallet is lost, and that memory stays flat.

  --ceremonies     how many in all; about: whole lives of a wallet are led
  --signatures     how many in all
  --clients        how many clients are there at once, one number for each part
  --kill-every-ms  how often a role is killed in the last part; 0 leaves that part out
  --profile        ${PROFILES.join(' | ')}
  --write-docs     docs/benchmarks/load.md and its data
  --json           the last line of stdout is the result as data; all else goes to stderr
  --help
`;

/** By how much a role may keep more after the last part than after the first. */
const KEPT_GROWTH_MB = 8;
/** And its process take more: what a library or the allocator does not give back. */
const RESIDENT_GROWTH_MB = 96;

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
      'write-docs': { type: 'boolean', default: false },
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
  return { options, profile, json: values.json, help: values.help, publish: values['write-docs'] };
}

/** What is wrong with a result, in words. */
function faultsOf({ failures, walletsLost, memory }: LoadResult): readonly string[] {
  const failed = Object.entries(failures).map(([code, count]) => `${count} × ${code} while nothing was killed`);
  const grown = Object.entries(memory.after).flatMap(([role, { keptMb, residentMb }]) => {
    const before = memory.before[role] ?? { keptMb: 0, residentMb: 0 };
    return [
      ...(keptMb - before.keptMb > KEPT_GROWTH_MB ? [`${role} kept ${keptMb} MiB after ${before.keptMb}`] : []),
      ...(residentMb - before.residentMb > RESIDENT_GROWTH_MB
        ? [`${role} took ${residentMb} MiB after ${before.residentMb}`]
        : []),
    ];
  });
  return [...failed, ...(walletsLost > 0 ? [`${walletsLost} wallets do not sign any more`] : []), ...grown];
}

async function main(): Promise<void> {
  const { options, profile, json, help, publish } = readOptions();
  if (help) return void process.stdout.write(HELP);
  const busy = busyness();
  const result = await withStack({ profile, inspected: true }, (stack) =>
    load(stack, options, (text) => void process.stderr.write(`${text} …\n`)),
  );
  const faults = faultsOf(result);
  const { kills, failuresUnderKills, memory, storedBytesPerWallet } = result;
  const out = json ? process.stderr : process.stdout;
  const measured = { date: new Date().toISOString().slice(0, 10), node: process.version, machine: `${machineClass()}${busy}` };
  out.write(`Measured ${measured.date} with Node ${measured.node} on ${measured.machine}. Medians.\n\n`);
  out.write(`${tableOf(result.figures)}\n\n`);
  out.write(`${kills} kills; failed meanwhile and tried again: ${JSON.stringify(failuresUnderKills)}\n`);
  out.write(`memory: ${JSON.stringify(memory)}; ${storedBytesPerWallet} bytes stored per wallet\n`);
  for (const fault of faults) out.write(`FAILED: ${fault}\n`);
  if (publish) await writeLoadReport({ ...measured, options, result });
  if (json) process.stdout.write(`${JSON.stringify({ ...result, faults })}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
