import { type Profiler, Session } from 'node:inspector';

/** Only the project's own code tells inputs apart. */
const OWN = /\/(packages|tools|apps)\/.*\.ts$/;

/** Which blocks of the project's code have run, as V8 counts them in this thread. */
export class BlockCoverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  get blocks(): number {
    return this.#seen.size;
  }

  /** Blocks that have run since the last time and never before that. */
  takeNew(): readonly string[] {
    const found: string[] = [];
    for (const { url, functions } of this.#take()) {
      if (!OWN.test(url)) continue;
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          const block = `${url}:${startOffset}-${endOffset}`;
          if (count > 0 && !this.#seen.has(block)) found.push(block);
        }
      }
    }
    return found;
  }

  remember(blocks: readonly string[]): void {
    for (const block of blocks) this.#seen.add(block);
  }

  stop(): void {
    this.#session.disconnect();
  }

  #take(): readonly Profiler.ScriptCoverage[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // Within one thread the answer comes before the call returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      scripts = result;
    });
    return scripts;
  }
}
