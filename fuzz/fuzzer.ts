import { getHeapStatistics } from 'node:v8';
import { Chance } from './chance.ts';
import { BlockCoverage } from './coverage.ts';
import { Finding, refusal } from './finding.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Whether new inputs are made from those that reached new code, too. It costs most of the time. */
  readonly guided: boolean;
  /** Inputs that are known to be worth a start. */
  readonly corpus: readonly Uint8Array[];
  /** Asked before each batch with the number of inputs so far. */
  readonly goesOn: (runs: number) => boolean;
  /** Told before each input runs: who watches from another thread can then tell which one hangs. */
  readonly before?: (input: Uint8Array) => void;
}

export interface Fuzzed {
  readonly runs: number;
  /** Blocks of code reached, where guided. */
  readonly blocks: number;
  /** The given corpus, and the inputs that reached something new; without the target's own seeds. */
  readonly corpus: readonly Uint8Array[];
  readonly finding?: { readonly input: Uint8Array; readonly finding: Finding };
}

const allocated = (): number => {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
};

/**
 * Runs one input. A collection of garbage during the run hides what it freed, never the reverse.
 * @throws Finding
 */
async function runOnce(target: Target, input: Uint8Array, before: FuzzOptions['before']): Promise<void> {
  before?.(input);
  const taken = await allocatedBy(target, input);
  // The first use of something may build tables that stay; the second tells.
  const again = taken > target.allocatedBytes ? await allocatedBy(target, input) : 0;
  if (again > target.allocatedBytes) throw new Finding('allocation', `${again} bytes for an input of ${input.length}`);
}

async function allocatedBy(target: Target, input: Uint8Array): Promise<number> {
  const start = allocated();
  try {
    const running = target.run(input);
    if (running) await running;
  } catch (error) {
    refusal(error);
  }
  return allocated() - start;
}

/** Looks for an input that breaks a property, led by which code the inputs reach. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<Fuzzed> {
  const search = new Search(target, options);
  try {
    return await search.run();
  } finally {
    search.stop();
  }
}

class Search {
  readonly #target: Target;
  readonly #options: FuzzOptions;
  readonly #chance: Chance;
  readonly #coverage: BlockCoverage | undefined;
  readonly #corpus: Uint8Array[] = [];
  #runs = 0;
  /** How many of the corpus are the target's own. */
  #seeds = 0;
  /** The one that runs, or has run last. */
  #input: Uint8Array = new Uint8Array(0);

  constructor(target: Target, options: FuzzOptions) {
    this.#target = target;
    this.#options = options;
    this.#chance = new Chance(options.seed);
    this.#coverage = options.guided ? new BlockCoverage() : undefined;
  }

  stop(): void {
    this.#coverage?.stop();
  }

  async run(): Promise<Fuzzed> {
    const { goesOn, corpus } = this.#options;
    const { seeds, batch } = this.#target;
    try {
      this.#seeds = this.#corpus.push(...(await seeds()));
      this.#corpus.push(...corpus);
      for (const seed of [...this.#corpus]) await this.#explore([seed]);
      while (goesOn(this.#runs)) await this.#explore(Array.from({ length: batch }, () => this.#next()));
    } catch (finding) {
      if (finding instanceof Finding) return { ...this.#so(), finding: { input: this.#input, finding } };
      throw finding;
    }
    return this.#so();
  }

  /** Runs inputs, and halves of them where they reach something new, until it is known which ones do. */
  async #explore(inputs: readonly Uint8Array[]): Promise<void> {
    for (this.#input of inputs) {
      await runOnce(this.#target, this.#input, this.#options.before);
      this.#runs++;
    }
    const found = this.#coverage?.takeNew() ?? [];
    if (found.length === 0) return;
    if (inputs.length === 1) {
      this.#coverage?.remember(found);
      if (!this.#corpus.includes(this.#input)) this.#corpus.push(this.#input);
      return;
    }
    const half = inputs.length >> 1;
    await this.#explore(inputs.slice(0, half));
    await this.#explore(inputs.slice(half));
  }

  #so(): Fuzzed {
    return { runs: this.#runs, blocks: this.#coverage?.blocks ?? 0, corpus: this.#corpus.slice(this.#seeds) };
  }

  #next(): Uint8Array {
    // The latest finds have been tried least.
    const recent = Math.min(this.#corpus.length, 8);
    const at = this.#chance.below(2)
      ? this.#chance.below(this.#corpus.length)
      : this.#corpus.length - 1 - this.#chance.below(recent);
    const input = this.#corpus[at] as Uint8Array;
    const suited = this.#target.mutate && this.#chance.below(4) > 0;
    if (suited) return this.#target.mutate?.(input, this.#chance) ?? input;
    return mutate(input, this.#chance.pick(this.#corpus), this.#chance, this.#target.maxBytes);
  }
}
