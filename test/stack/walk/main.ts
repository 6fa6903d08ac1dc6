import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startStack } from '../../../tools/stack.ts';
import { Control, nameOf } from './control.ts';
import { heldStack } from './held-stack.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { share } from './share.ts';
import { Walk } from './walk.ts';

const HELP = `npm run walk -- [--all] [--operation <name>] [--way <kill|freeze|end>] [--help]

Leads every operation of a wallet through crashes on four real processes: kills (SIGKILL) or freezes (SIGSTOP) a role before each
of its messages and writes, ends the app before and after each of its requests and writes, and checks after each: one epoch
signs, never none, never two; no ceremony is left running; the next attempt succeeds.

  --all        every step; otherwise the share that the tests walk
  --operation  ${OPERATIONS.map(({ name }) => name).join(', ')}
  --way        kill or freeze roles, or end the app; all three otherwise
`;

const WAYS = ['kill', 'freeze', 'end'] as const;
type Way = (typeof WAYS)[number];

let visited = 0;
let failed = 0;

async function visit(what: string, act: () => Promise<boolean>): Promise<void> {
  const before = performance.now();
  const outcome = await act().then(
    (reached) => (reached ? 'ok' : 'not reached'),
    (error: unknown) => {
      failed++;
      return `FAILED: ${error instanceof Error ? error.message : String(error)}`;
    },
  );
  visited++;
  console.log(`${((performance.now() - before) / 1000).toFixed(1).padStart(6)} s  ${what}: ${outcome}`);
}

async function walkOperation(walk: Walk, operation: Operation, ways: readonly Way[], all: boolean): Promise<void> {
  const steps = await walk.survey(operation);
  for (const way of ways) {
    if (way === 'end') {
      for (const step of await walk.surveyClient(operation)) {
        await visit(`${operation.name}, app ends ${step.when} ${step.kind}`, () => walk.visitClient(operation, step));
      }
    } else {
      for (const step of all ? steps : share(operation, steps, way))
        await visit(`${operation.name}, ${way} ${nameOf(step)}`, () => walk.visit(operation, step, way));
    }
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      operation: { type: 'string' },
      way: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const operations = OPERATIONS.filter(({ name }) => values.operation === undefined || name === values.operation);
  const ways = WAYS.filter((way) => values.way === undefined || way === values.way);
  if (operations.length === 0 || ways.length === 0) throw new Error(`there is no such operation or way\n\n${HELP}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-walk-'));
  const control = await Control.open();
  const stack = await startStack({ folder, ...heldStack(control) });
  try {
    const walk = new Walk(stack, control);
    for (const operation of operations) await walkOperation(walk, operation, ways, values.all);
  } finally {
    await stack.stop();
    control.close();
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`${visited} crashes, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
