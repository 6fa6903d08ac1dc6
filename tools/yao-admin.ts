import { open } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { connectRouter, YaoError } from '@streaming-yao/client';
import { Deletion } from '@streaming-yao/wire';
import { repository } from './bundle.ts';
import { auditTrail, deleteWallet, type Operator, readOperatorKey, routerOf, trailLine } from './yao-admin/operator.ts';

const LOCAL = path.join(repository, '.streaming-yao', 'local');

const HELP = `npm run yao-admin -- <command> WALLET [options]

For the operator of a deployment, who has its operator key.

  audit WALLET          who did what when, receipts included, as JSON lines, oldest first
  delete-wallet WALLET  removes everything about a wallet at every role; its keys are lost with it.
                        Each role signs that it found nothing left; the statements are checked and printed

  --router   address of the Router; that of the stack on this machine otherwise
  --keys     folder with pins.json and operator.secrets.json; default .streaming-yao/local/keys
  --out      file for the audit trail; stdout otherwise
  --yes      really delete
  --json     the last line of stdout is one JSON object (delete-wallet)
  --help
`;

function refuse(why: string): never {
  process.stderr.write(`${why}\n\n${HELP}`);
  return process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        router: { type: 'string' },
        keys: { type: 'string', default: path.join(LOCAL, 'keys') },
        out: { type: 'string' },
        yes: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const { values, positionals } = readOptions();
const [command, walletId, ...more] = positionals;

async function operator(): Promise<Operator> {
  const address = values.router ?? (await routerOf(path.dirname(path.resolve(values.keys))));
  if (!address) refuse('no stack runs beside these keys; give its Router with --router');
  return { ...(await readOperatorKey(values.keys)), router: connectRouter(address) };
}

async function audit(wallet: string): Promise<void> {
  const out = values.out === undefined ? undefined : await open(values.out, 'w', 0o600);
  for await (const entry of auditTrail(await operator(), wallet)) {
    const line = `${trailLine(wallet, entry)}\n`;
    if (out) await out.write(line);
    else process.stdout.write(line);
  }
  await out?.close();
}

async function remove(wallet: string): Promise<void> {
  if (!values.yes) refuse(`with --yes everything about ${wallet} is deleted at every role, and its keys are lost`);
  const deletions = await deleteWallet(await operator(), wallet);
  const print = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  for (const { role, deleted, left } of deletions)
    print(`${role.padEnd(15)} ${String(deleted).padStart(4)} deleted, ${left} left; signed by ${role}`);
  if (values.json) process.stdout.write(`${JSON.stringify({ walletId: wallet, deletions: deletions.map(Deletion.toJson) })}\n`);
}

const COMMANDS: Readonly<Record<string, (wallet: string) => Promise<void>>> = { audit, 'delete-wallet': remove };

if (values.help) {
  process.stdout.write(HELP);
} else {
  const run = COMMANDS[command ?? ''];
  if (!run) refuse(command === undefined ? 'name a command' : `there is no command ${command}`);
  if (walletId === undefined || more.length > 0) refuse(`${command} takes one wallet`);
  await run(walletId).catch((error: unknown) => {
    const code = error instanceof YaoError ? `${error.code}: ` : '';
    process.stderr.write(`${code}${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
