import { xorBytes } from '@streaming-yao/core';
import { watchPeak } from '../alone.ts';
import { random } from '../engine-parties.ts';
import type { Contestant } from './contestant.ts';
import { openWork, type WorkName } from './work.ts';

/** Runs after which memory is read, for all the same: much of it is garbage that nobody has collected yet. */
const MEMORY_RUNS = 3;

/** What one contestant needed; memory is the peak on top of the prepared process. */
export interface Measurement {
  /** Each run in its order, the first one cold. */
  readonly ms: readonly number[];
  /** CPU time of all threads in each run: what a busy machine changes least. */
  readonly cpuMs: readonly number[];
  readonly bytes: number;
  readonly memoryMb: number;
}

/** Loaded one by one: memory is measured. */
const CONTESTANTS = {
  kernel: async () => (await import('./streaming-yao.ts')).kernelSession,
  'kernel-with-pairing': async () => (await import('./streaming-yao.ts')).kernelSessionWithPairing,
  netlist: async () => (await import('./streaming-yao.ts')).netlistSession,
  jigg: async () => (await import('./jigg.ts')).jigg,
  'emp-wasm': async () => (await import('./emp-wasm.ts')).empWasm,
} satisfies Record<string, () => Promise<Contestant>>;

export type ContestantName = keyof typeof CONTESTANTS;

async function measure(name: ContestantName, workName: WorkName, folder: string, runs: number): Promise<Measurement> {
  const contestant = await CONTESTANTS[name]();
  const work = openWork(workName, folder);
  const compute = await contestant.prepare(work);
  const peak = watchPeak();
  const [ms, cpuMs]: [number[], number[]] = [[], []];
  let [bytes, memoryMb] = [0, 0];
  for (let i = 0; i < runs; i++) {
    const [a, b] = [random(32), random(32)];
    const start = compute(a, b);
    const [began, used] = [performance.now(), process.cpuUsage()];
    const run = await start();
    ms.push(performance.now() - began);
    const { user, system } = process.cpuUsage(used);
    cpuMs.push((user + system) / 1_000);
    bytes = run.bytes;
    if (i < MEMORY_RUNS) memoryMb = peak();
    const expected = work.expected(xorBytes(a, b)).join('');
    for (const result of run.results) if (result.join('') !== expected) throw new Error(`${name} has computed something else`);
  }
  return { ms, cpuMs, bytes, memoryMb };
}

const [name, work, folder = '', runs] = process.argv.slice(2);
console.log(JSON.stringify(await measure(name as ContestantName, work as WorkName, folder, Number(runs))));
