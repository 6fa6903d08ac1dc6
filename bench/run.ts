import { parseArgs } from 'node:util';
import { alone } from './alone.ts';
import type { Figure, Progress } from './figure.ts';
import { busyness, machineClass } from './machine.ts';
import { PARTS } from './parts.ts';
import { tableOf } from './table.ts';
import { TARGETS } from './targets.ts';

const HELP = `npm run bench [-- --only ${Object.keys(PARTS).join('|')}] [--json] [--write-readme]

Measures on this machine and prints each figure beside its target. Medians; times from outside the servers.

  --only PART  one part; may be given several times
  --json       the last line of stdout is the same as data; all else goes to stderr
  --write-readme  the engine's table in packages/engine/README.md; needs the parts engine and peers
  --write-docs    docs/benchmarks: data, pictures and page; needs all parts
  --help
`;

function withTarget(figure: Figure) {
  const known = TARGETS[figure.id];
  return { ...figure, target: known?.target ?? null, stretch: known?.stretch ?? null };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      'write-readme': { type: 'boolean' },
      'write-docs': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const asked = values.only ?? Object.keys(PARTS);
  const unknown = asked.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown) throw new Error(`there is no part "${unknown}"; known are ${Object.keys(PARTS).join(', ')}`);
  const busy = busyness();
  const progress: Progress = (line) => void process.stderr.write(`${line} …\n`);
  const measured = new Map<string, readonly Figure[]>();
  // Each in a process of its own: what one part leaves in memory and in the compiler's caches slows the next one's client.
  for (const name of asked) measured.set(name, (await alone('part.ts', [name])) as readonly Figure[]);
  const figures = [...measured.values()].flat();
  const date = new Date().toISOString().slice(0, 10);
  const heading = `Measured ${date} with Node ${process.version} on ${machineClass()}${busy}. Medians.`;
  (values.json ? process.stderr : process.stdout).write(`${heading}\n\n${tableOf(figures)}\n`);
  if (values['write-readme']) {
    const ofEngine = ['engine', 'peers'].flatMap((name) => measured.get(name) ?? []);
    await (await import('./engine-readme.ts')).writeEngineReadme(heading, ofEngine);
  }
  const data = { date, machine: `${machineClass()}${busy}`, node: process.version, figures: figures.map(withTarget) };
  if (values['write-docs']) {
    progress('registrations, message by message');
    const ceremony = await (await import('./report/recording.ts')).recordRegistration();
    await (await import('./report/pages.ts')).writeReport({ ...data, ceremony });
  }
  if (values.json) {
    process.stdout.write(`${JSON.stringify(data)}\n`);
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
