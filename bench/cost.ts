import { parseArgs } from 'node:util';
import { costUsdPerMillion, hostedBill, totalOf, USAGE_FIELDS, type Usage } from './cost/model.ts';
import { type Prices, readPrices, SNAPSHOT_FILE } from './cost/prices.ts';

const HELP = `npm run cost -- --a-cpu-ms MS --b-cpu-ms MS [options]

What a million ceremonies cost by the public reference's model: the CPU of both Derivers and one request each, gross,
before what a plan includes. CPU per ceremony is measured by npm run bench -- --only lifecycle.

  --a-cpu-ms MS    CPU of Deriver A in one ceremony
  --b-cpu-ms MS    CPU of Deriver B
  --prices FILE    another snapshot of prices, a JSON file like bench/cost/prices.json
  --hosted         also counts, on a local stack, what that model leaves out: requests to Durable Objects and their duration,
                   rows of objects and of D1, stored bytes; per ceremony and per signature
  --rounds N       how often each operation is counted with --hosted (8)
  --json           the last line of stdout is the same as data; all else goes to stderr
  --help

Prices are of the day that the snapshot names; nothing here was ever billed.
`;

function number(text: string | undefined, name: string): number {
  const value = Number(text);
  if (text === undefined || text === '' || !Number.isFinite(value) || value < 0) {
    throw new TypeError(`--${name} is a number from 0; see --help`);
  }
  return value;
}

const usd = (value: number): string => `$${value.toFixed(3)}`;
const count = (value: number): string => String(Math.round(value * 100) / 100);

/** A column per operation. */
function table(heading: string, rows: readonly (readonly [string, readonly string[]])[]): string {
  const lines = rows.map(([name, cells]) => `  ${name.padEnd(26)}${cells.map((cell) => cell.padStart(12)).join('')}`);
  return `${heading}\n${lines.join('\n')}\n`;
}

function hostedTables(usage: Readonly<Record<string, Usage>>, prices: Prices): string {
  const operations = Object.keys(usage);
  const bills = Object.values(usage).map((used) => hostedBill(used, prices));
  const counted = USAGE_FIELDS.map((name) => [name, Object.values(usage).map((used) => count(used[name]))] as const);
  const billed = Object.keys(bills[0] ?? {}).map((name) => [name, bills.map((bill) => usd(bill[name] ?? 0))] as const);
  const total = ['all', bills.map((bill) => usd(totalOf(bill)))] as const;
  return [
    table('\nUsed by one operation, all roles together', [['', operations], ...counted]),
    table('USD for a million operations, beside CPU', [...billed, total]),
  ].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'a-cpu-ms': { type: 'string' },
      'b-cpu-ms': { type: 'string' },
      prices: { type: 'string', default: SNAPSHOT_FILE },
      hosted: { type: 'boolean' },
      rounds: { type: 'string', default: '8' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const say = (text: string): void => void (values.json ? process.stderr : process.stdout).write(`${text}\n`);
  const [a, b] = [number(values['a-cpu-ms'], 'a-cpu-ms'), number(values['b-cpu-ms'], 'b-cpu-ms')];
  const rounds = number(values.rounds, 'rounds');
  const prices = await readPrices(values.prices);
  const usdPerMillion = Math.round(costUsdPerMillion(a + b, prices) * 1e6) / 1e6;
  say(`${usd(usdPerMillion)} for a million ceremonies of ${a} + ${b} ms CPU, at the prices of ${prices.date}`);
  const usage = values.hosted
    ? await (await import('./hosted/usage.ts')).measureUsage(rounds, (line) => void process.stderr.write(`${line} …\n`))
    : undefined;
  if (usage) say(hostedTables(usage, prices));
  if (!values.json) return;
  const hosted =
    usage && Object.fromEntries(Object.entries(usage).map(([name, used]) => [name, { used, usd: hostedBill(used, prices) }]));
  const data = { pricesOf: prices.date, aCpuMs: a, bCpuMs: b, usdPerMillion, ...(hosted && { hosted }) };
  process.stdout.write(`${JSON.stringify(data)}\n`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
