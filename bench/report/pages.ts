import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Prices, readPrices } from '../cost/prices.ts';
import { tableOf } from '../table.ts';
import { bytesPlot } from './bytes-plot.ts';
import { costPlot } from './cost-plot.ts';
import { latencyPlot } from './latency-plot.ts';
import { overlapPlot } from './overlap-plot.ts';
import type { Report } from './report.ts';

const FOLDER = path.join(import.meta.dirname, '../../docs/benchmarks');
export const DATA_FILE = path.join(FOLDER, 'figures.json');

/** Every file of docs/benchmarks but its data, by name; drawn from the data alone. */
export function pagesOf(report: Report, prices: Prices): Readonly<Record<string, string>> {
  return {
    'README.md': readme(report),
    'latency.svg': latencyPlot(report),
    'overlap.svg': overlapPlot(report),
    'bytes.svg': bytesPlot(report),
    'cost.svg': costPlot(report, prices),
  };
}

function readme({ date, machine, node, remark, figures }: Report): string {
  return `# Benchmarks

Measured ${date} with Node ${node} on ${machine}, all roles as local workerd processes with real storage, from outside the servers. Medians.
\`register\`, \`refresh\`, \`recover\` and \`export\` are timed after four hundred of the same, hits after two thousand, misses after two hundred: by then the
compilers of all processes are done. The first registration of new processes is a figure of its own.
${remark === undefined ? '' : `${remark}\n`}Nothing here was measured on Cloudflare: nothing has been deployed there.

To repeat it, on a machine that does nothing else:

\`\`\`
npm run bench                     # prints the table
npm run bench -- --write-docs     # writes this page, its pictures and figures.json as well
\`\`\`

[Load](load.md) says what many clients at once come to, and what is lost when roles are killed meanwhile.

![Time of each operation: median, p95 and p99 beside the target](latency.svg)

![One registration: what each role sent and received when](overlap.svg)

![Bytes between the Derivers by kind of message](bytes.svg)

![Cost of a million activations against CPU time](cost.svg)

"Target" is what the project set out to reach on this kind of machine. A figure without one is there to explain another.

${tableOf(figures)}
`;
}

export async function readReport(): Promise<Report> {
  return JSON.parse(await readFile(DATA_FILE, 'utf8'));
}

/** Writes data, pictures and page of docs/benchmarks. */
export async function writeReport(report: Report): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(DATA_FILE, `${JSON.stringify(report, undefined, 1)}\n`);
  for (const [name, content] of Object.entries(pagesOf(report, await readPrices()))) {
    await writeFile(path.join(FOLDER, name), content);
  }
}
