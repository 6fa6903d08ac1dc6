import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Figure } from '../figure.ts';
import type { LoadOptions, LoadResult } from '../load/run.ts';

const FOLDER = path.join(import.meta.dirname, '../../docs/benchmarks');
const DATA_FILE = path.join(FOLDER, 'load.json');

/** One load, as docs/benchmarks holds it. */
export interface LoadReport {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly options: LoadOptions;
  readonly result: LoadResult;
}

/** Counts of error codes in words. */
function listed(failures: Readonly<Record<string, number>>): string {
  const counts = Object.entries(failures).map(([code, count]) => `${count} × \`${code}\``);
  return counts.length > 0 ? counts.join(', ') : 'none';
}

const COLUMNS = {
  register_ms: 'register, ms',
  refresh_ms: 'refresh, ms',
  recover_ms: 'recover, ms',
  sign_ms: 'sign, ms',
  ceremonies_per_s: 'ceremonies/s',
  signatures_per_s: 'signatures/s',
} as const;

/** Medians and 95th percentiles by the number of clients at once. */
function loadTable(figures: readonly Figure[], clients: readonly number[]): string {
  const cell = (id: string): string => {
    const { value, p95 } = figures.find((figure) => figure.id === id) ?? {};
    return p95 === undefined ? `${value}` : `${value} (${p95})`;
  };
  const rows = clients.map((count) => [`${count}`, ...Object.keys(COLUMNS).map((what) => cell(`load_${count}_clients_${what}`))]);
  const heading = ['clients', ...Object.values(COLUMNS)];
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** docs/benchmarks/load.md, out of its data alone. */
export function loadPage({ date, machine, node, options, result }: LoadReport): string {
  const { ceremonies, signatures, clients, killEveryMs } = options;
  const { memory, kills, walletsLost, storedBytesPerWallet } = result;
  const rows = Object.entries(memory.after).map(([role, after]) => {
    const before = memory.before[role];
    return `| ${role} | ${before?.keptMb} | ${after.keptMb} | ${before?.residentMb} | ${after.residentMb} |`;
  });
  const killed =
    killEveryMs > 0
      ? `The last part ended one role after another without notice (\`kill -9\`), ${killEveryMs / 1_000} s after the one before was back: ${kills} kills. What failed meanwhile was
tried again as an app would: ${listed(result.failuresUnderKills)}. Wallets that did not sign any more afterwards: ${walletsLost}.`
      : 'No role was killed.';
  return `# Load

Measured ${date} with Node ${node} on ${machine}: the local stack of four workerd processes, and all clients in one more process beside them. Medians, and 95th percentiles in brackets.

\`npm run load -- --ceremonies ${ceremonies} --signatures ${signatures} --clients ${clients.join(',')} --kill-every-ms ${killEveryMs} --write-docs\` repeats it. Clients
come and go: each makes a wallet, signs, refreshes, signs, is lost, recovers on another device and signs. Every signature is verified with \`node:crypto\`, and no nonce signed
two messages, or the load would have ended.

${loadTable(result.figures, clients)}

Failures while nothing was killed: ${listed(result.failures)}.

${killed}

Memory in MiB when its garbage is gone, of each role's Worker and of its whole process, after the first part and after the last one without kills; on disk all roles
together keep ${storedBytesPerWallet.toLocaleString('en-US')} bytes per wallet.

| role | Worker, first | last | process, first | last |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

export async function readLoadReport(): Promise<LoadReport> {
  return JSON.parse(await readFile(DATA_FILE, 'utf8'));
}

/** Writes data and page. */
export async function writeLoadReport(report: LoadReport): Promise<void> {
  await writeFile(DATA_FILE, `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(path.join(FOLDER, 'load.md'), loadPage(report));
}
