import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Stack, startStack } from '../../../tools/stack.ts';
import { Control } from './control.ts';
import { heldStack } from './held-stack.ts';
import { OPERATIONS } from './operations.ts';
import { allPoints, shuffled, titleOf } from './points.ts';
import { type Point, WAYS, Walk } from './walk.ts';

const HELP = `npm run walk -- [options]

Leads every operation of a wallet through crashes on four real processes. A run of each operation is recorded first; then each
of its steps, that is each message and each write of Router, Deriver A, Deriver B, SigningWorker and the user's apps, is struck
twice: once who takes it is killed (SIGKILL; an app ends), once it is frozen for longer than a ceremony may take (SIGSTOP).
Afterwards: one epoch signs, the old or the new, never neither, never both; no ceremony is left running; the next attempt
succeeds. A killed process is proved gone.

  --share I/N     every N-th crash only, from the I-th; several shares may walk side by side
  --seed TEXT     in another order, which decides what a share has
  --operation O   ${OPERATIONS.map(({ name }) => name).join(', ')}
  --way W         ${WAYS.join(', ')}
  --match TEXT    only crashes whose title has this text, or that of another --match
  --list          prints the titles and strikes nobody
  --json          the last line of stdout is one JSON object
  --help

Progress is on stderr. Ends with 1 if something was broken afterwards, with 2 if it could not walk.
`;

const OPTIONS = {
  share: { type: 'string', default: '1/1' },
  seed: { type: 'string', default: '1' },
  operation: { type: 'string' },
  way: { type: 'string' },
  match: { type: 'string', multiple: true },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Options = ReturnType<typeof readOptions>;
const readOptions = () => parseArgs({ options: OPTIONS }).values;

function chosen(points: readonly Point[], { share, seed, operation, way, match }: Options): readonly Point[] {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(share)?.map(Number) ?? [];
  if (!index || !count || index > count) throw new Error(`--share is like 1/4, not ${share}`);
  const left = shuffled(points, seed)
    .filter((_, i) => i % count === index - 1)
    .filter((point) => operation === undefined || point.operation.name === operation)
    .filter((point) => way === undefined || point.way === way)
    .filter((point) => match === undefined || match.some((text) => titleOf(point).includes(text)));
  if (left.length === 0) throw new Error('there is no such crash; --list shows all');
  return left;
}

interface Result {
  readonly title: string;
  readonly reached: boolean;
  readonly broken: string | undefined;
}

async function visit(walk: Walk, point: Point): Promise<Result> {
  const title = titleOf(point);
  try {
    return { title, reached: await walk.visit(point), broken: undefined };
  } catch (error) {
    return { title, reached: true, broken: error instanceof Error ? error.message : String(error) };
  }
}

async function walkAll(walk: Walk, points: readonly Point[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const point of points) {
    const before = performance.now();
    const result = await visit(walk, point);
    results.push(result);
    const seconds = ((performance.now() - before) / 1000).toFixed(1);
    const outcome = result.broken ? `BROKEN: ${result.broken}` : result.reached ? 'ok' : 'not reached';
    process.stderr.write(`${results.length}/${points.length}  ${seconds} s  ${result.title}: ${outcome}\n`);
  }
  return results;
}

function report(results: readonly Result[], json: boolean): void {
  const broken = results.filter((result) => result.broken !== undefined);
  const missed = results.filter(({ reached }) => !reached).map(({ title }) => title);
  process.stdout.write(`${results.length} crashes, ${missed.length} not reached, ${broken.length} broken\n`);
  for (const { title, broken: why } of broken) process.stdout.write(`  ${title}: ${why}\n`);
  const data = { crashes: results.length, missed, broken: broken.map(({ title, broken: why }) => ({ title, why })) };
  if (json) process.stdout.write(`${JSON.stringify(data)}\n`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}

async function main(options: Options): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-walk-'));
  const control = await Control.open();
  let stack: Stack | undefined;
  try {
    stack = await startStack({ folder, ...heldStack(control) });
    const walk = new Walk(stack, control);
    const points = chosen(await allPoints(walk), options);
    if (options.list) for (const point of points) process.stdout.write(`${titleOf(point)}\n`);
    else report(await walkAll(walk, points), options.json);
  } finally {
    await stack?.stop();
    control.close();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
  process.exitCode = 2;
}
