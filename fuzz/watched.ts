import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readCorpus } from './corpus.ts';
import { Finding, type Property } from './finding.ts';
import { type Fuzzed, fuzz } from './fuzzer.ts';
import type { Target } from './target.ts';
import { loadTarget } from './targets.ts';

export interface WatchOptions {
  readonly target: string;
  readonly seed: number;
  readonly guided: boolean;
  /** Stop after this many inputs, or after this many milliseconds. */
  readonly runs?: number;
  readonly ms?: number;
  readonly progress?: (runs: number) => void;
  /** How long an input may take, whatever else the machine does. */
  readonly hangMs?: number;
  /** For tests: a module that exports another target as `target`. */
  readonly module?: string;
}

const HANG_MS = 30_000;
const LOOK_MS = 500;
const HEADER_BYTES = 8;
/** Larger than what any target takes. */
const LARGEST_INPUT_BYTES = 512 * 1024;

/** Header: how many inputs have begun, and how long the present one is; then its bytes. */
class Slate {
  readonly memory: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#header = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, HEADER_BYTES);
  }

  get runs(): number {
    return Atomics.load(this.#header, 0);
  }

  get input(): Uint8Array {
    return this.#bytes.slice(0, Atomics.load(this.#header, 1));
  }

  begin(input: Uint8Array): void {
    this.#bytes.set(input);
    Atomics.store(this.#header, 1, input.length);
    Atomics.add(this.#header, 0, 1);
  }
}

/** What crosses between the threads: an error's class does not. */
interface Told extends Omit<Fuzzed, 'finding'> {
  readonly found?: { readonly input: Uint8Array; readonly property: Property; readonly what: string };
}

/** Fuzzes a target in a thread of its own, from its kept corpus; an input that never ends is a finding as well. */
export async function fuzzWatched(options: WatchOptions): Promise<Fuzzed> {
  const { progress, hangMs = HANG_MS, ...rest } = options;
  const slate = new Slate(new SharedArrayBuffer(HEADER_BYTES + LARGEST_INPUT_BYTES));
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...rest, memory: slate.memory } satisfies Order });
  let [last, sinceMs] = [-1, Date.now()];
  return new Promise<Fuzzed>((resolve, reject) => {
    const timer = setInterval(() => {
      progress?.(slate.runs);
      if (slate.runs !== last) [last, sinceMs] = [slate.runs, Date.now()];
      else if (last > 0 && Date.now() - sinceMs > hangMs) {
        const finding = new Finding('hang', `an input runs for more than ${hangMs} ms`);
        resolve({ runs: last, blocks: 0, corpus: [], finding: { input: slate.input, finding } });
      }
    }, LOOK_MS);
    worker.on('message', (told: Told) => resolve(fuzzedOf(told)));
    worker.on('error', reject);
    worker.on('exit', (code) => code !== 0 && reject(new Error(`the fuzzing thread ended with ${code}`)));
    worker.on('exit', () => clearInterval(timer));
  }).finally(() => worker.terminate());
}

function fuzzedOf({ found, ...rest }: Told): Fuzzed {
  if (!found) return rest;
  return { ...rest, finding: { input: found.input, finding: new Finding(found.property, found.what) } };
}

type Order = Omit<WatchOptions, 'progress' | 'hangMs'> & { readonly memory: SharedArrayBuffer };

async function work({ target, module, seed, guided, runs = Number.POSITIVE_INFINITY, ms, memory }: Order): Promise<Told> {
  const slate = new Slate(memory);
  const load = module === undefined ? loadTarget(target) : import(module).then((found: { target: Target }) => found.target);
  const [corpus, loaded] = await Promise.all([readCorpus(target), load]);
  const untilMs = ms === undefined ? Number.POSITIVE_INFINITY : Date.now() + ms;
  const { finding, ...rest } = await fuzz(loaded, {
    seed,
    guided,
    corpus,
    goesOn: (done) => done < runs && Date.now() < untilMs,
    before: (input) => slate.begin(input),
  });
  if (!finding) return rest;
  const { property, message } = finding.finding;
  return { ...rest, found: { input: finding.input, property, what: message.slice(property.length + 2) } };
}

if (!isMainThread) parentPort?.postMessage(await work(workerData as Order));
