import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Simulated, simulate } from '@streaming-yao/simulator';

const HELP = `npm run simulate [-- options]

Runs Router, Deriver A, Deriver B, SigningWorker and users' devices with their real programs and real cryptography on a
virtual network, clock and random tape; things go wrong as each seed has it. Prints the seeds under which an invariant
does not hold, and exits 1 if there are any.

  --seeds N    how many seeds (100)
  --first N    the first of them (1)
  --jobs N     threads (one per core)
  --seed N     this one only
  --trace      with --seed: every event of the run
  --json       one JSON object per seed that fails, then one for the whole
  --help       this text
`;

const PROGRESS_MS = 10_000;

/** What one seed came to, as far as it can be told to another thread. */
interface Result extends Omit<Simulated, 'violation'> {
  readonly violation: { readonly invariant: string; readonly message: string } | null;
}

async function run(seed: number, trace?: (line: string) => void): Promise<Result> {
  const { violation, ...rest } = await simulate({ seed, ...(trace && { trace }) });
  return { ...rest, violation: violation ? { invariant: violation.invariant, message: violation.message } : null };
}

interface Share {
  readonly first: number;
  readonly end: number;
  readonly stride: number;
}

async function runShare({ first, end, stride }: Share, told: (result: Result) => void): Promise<void> {
  for (let seed = first; seed < end; seed += stride) told(await run(seed));
}

function inThread(share: Share, told: (result: Result) => void): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  return new Promise((resolve, reject) => {
    worker.on('message', told);
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with ${code}`))));
  });
}

function wholeNumber(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`expected a whole number above 0, not ${text}`);
}

function describe({ seed, violation, errands, faults, steps, virtualMs }: Result): string {
  const run = [
    `  ${steps} steps, ${Math.round(virtualMs / 1000)} s of virtual time`,
    `  errands: ${errands.join(', ')}`,
    `  faults: ${faults.join(', ') || 'none'}`,
  ];
  return [`seed ${seed}: ${violation ? violation.message : 'every invariant holds'}`, ...run].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      first: { type: 'string' },
      jobs: { type: 'string' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const print = (result: Result): void => console.log(values.json ? JSON.stringify(result) : describe(result));
  if (values.seed !== undefined) {
    const result = await run(wholeNumber(values.seed, 1), values.trace ? console.log : undefined);
    print(result);
    process.exitCode = result.violation ? 1 : 0;
    return;
  }
  const first = wholeNumber(values.first, 1);
  const count = wholeNumber(values.seeds, 100);
  const jobs = Math.min(count, wholeNumber(values.jobs, availableParallelism()));
  const failed: number[] = [];
  const startedAt = performance.now();
  let done = 0;
  let toldAt = startedAt;
  const told = (result: Result): void => {
    done++;
    const now = performance.now();
    if (now - toldAt >= PROGRESS_MS && done < count) {
      toldAt = now;
      const minutesLeft = Math.ceil((((now - startedAt) / done) * (count - done)) / 60_000);
      process.stderr.write(`${done} of ${count} seeds, ${failed.length || 'none'} failed, about ${minutesLeft} min left …\n`);
    }
    if (!result.violation) return;
    failed.push(result.seed);
    print(result);
  };
  const end = first + count;
  await Promise.all(Array.from({ length: jobs }, (_, job) => inThread({ first: first + job, end, stride: jobs }, told)));
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  if (values.json) console.log(JSON.stringify({ seeds: count, failed, seconds }));
  else console.log(`${count} seeds in ${seconds} s: ${failed.length === 0 ? 'every invariant holds' : `${failed.length} fail`}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** A mistake in the command is told in one line. */
function tellMistake(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
  console.error(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

if (isMainThread) await main().catch(tellMistake);
else await runShare(workerData as Share, (result) => parentPort?.postMessage(result));
