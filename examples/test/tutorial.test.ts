import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../tools/bundle.ts';
import { type Block, blocksOf } from '../../tools/lint/markdown.ts';
import { freePorts } from '../../tools/ports.ts';

const tutorial = await readFile(path.join(repository, 'docs/tutorial.md'), 'utf8');
const blocks = blocksOf(tutorial);

/** A command with what it is expected to print, the deployment's folder and port replaced by the test's own. */
interface Step {
  readonly command: string;
  readonly expected: string;
}

let folder: string;
let steps: readonly Step[];
let deployment: Running | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tutorial-'));
  const [port] = await freePorts(1);
  const own = (text: string): string =>
    text.replaceAll('.streaming-yao/tutorial', folder).replaceAll('8788', String(port)).trim();
  steps = blocks.flatMap(({ language, text }, at) => {
    const next: Block | undefined = blocks[at + 1];
    return language === 'sh' && next?.language === 'text' ? [{ command: own(text), expected: own(next.text) }] : [];
  });
});

afterAll(async () => {
  await interrupt();
  await rm(folder, { recursive: true, force: true });
});

/** As the terminal's Ctrl-C does: to the shell and everything that it has started. */
async function interrupt(): Promise<void> {
  if (!deployment) return;
  const { pid, exitCode, signalCode } = deployment.process;
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGINT');
  await deployment.ended;
}

interface Running {
  readonly process: ChildProcess;
  /** What was printed so far, without the two lines that npm begins with. */
  readonly printed: () => string;
  readonly ended: Promise<number | null>;
}

function run(command: string): Running {
  const child = spawn(command, { cwd: repository, shell: true, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = (): string =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('> '))
      .join('\n')
      .trim();
  return { process: child, printed, ended };
}

/** The expected output as a pattern: `…` is anything within a line. */
function patternOf(expected: string): RegExp {
  const parts = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

test('every command prints what the tutorial says', { timeout: 300_000 }, async () => {
  const [start, ...others] = steps as [Step, ...Step[]];
  const started = run(start.command);
  deployment = started;
  while (started.process.exitCode === null && !started.printed().endsWith('Ctrl-C stops it')) await sleep(100);
  expect(started.printed()).toMatch(patternOf(start.expected));
  for (const { command, expected } of others) {
    const { printed, ended } = run(command);
    expect(await ended, command).toBe(0);
    expect(printed(), command).toMatch(patternOf(expected));
  }
  await interrupt();
  expect(started.printed()).toMatch(/\nstopped$/);
});

test('every command is run, but for the clone', () => {
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  expect(commands.filter((command) => !command.startsWith('git clone '))).toHaveLength(steps.length);
  expect(steps.length).toBeGreaterThan(4);
});

test('the program that it explains is the program that it runs', async () => {
  const explained = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text);
  expect(explained.join('\n')).toBe(await readFile(path.join(repository, 'examples/first-transaction.ts'), 'utf8'));
});
