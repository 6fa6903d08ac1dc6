import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alone } from '../alone.ts';
import { exact, type Figure, type Progress, print, quantile, summarize } from '../figure.ts';
import { installPeer, PEERS, type PeerName } from './install.ts';
import type { ContestantName, Measurement } from './measure.ts';
import { type WorkName, writeWork } from './work.ts';

const PEER_RUNS = 3;
const KERNEL_RUNS = 70;
const KERNEL_WARM_UP = 10;
const PAIRING_RUNS = 10;

type Measure = (contestant: ContestantName, work: WorkName, runs: number) => Promise<Measurement>;

const median = (samples: readonly number[]): number =>
  quantile(
    samples.toSorted((left, right) => left - right),
    0.5,
  );

/** Our kernel on the function that it is made for. */
async function kernelFigures(measure: Measure): Promise<{ readonly figures: readonly Figure[]; readonly ms: number }> {
  const kernel = await measure('kernel', 'scalar', KERNEL_RUNS);
  const paired = await measure('kernel-with-pairing', 'scalar', PAIRING_RUNS);
  const warm = kernel.ms.slice(KERNEL_WARM_UP);
  return {
    ms: median(warm),
    figures: [
      summarize('engine_scalar_ms', 'ms', warm),
      exact('engine_scalar_first_ms', 'ms', kernel.ms[0] ?? 0),
      summarize('engine_scalar_with_pairing_ms', 'ms', paired.ms),
      exact('engine_scalar_bytes', 'bytes', kernel.bytes),
      exact('engine_scalar_memory_mb', 'MB', kernel.memoryMb),
    ],
  };
}

/** A peer on the same function, by the same circuit, and once on the whole digest. */
async function peerFigures(measure: Measure, name: PeerName, kernelMs: number): Promise<readonly Figure[]> {
  const id = name.replaceAll('-', '_');
  const { ms, bytes, memoryMb } = await measure(name, 'scalar', PEER_RUNS);
  const whole = await measure(name, 'digest', 1);
  return [
    summarize(`peer_${id}_ms`, 'ms', ms),
    exact(`peer_${id}_bytes`, 'bytes', bytes),
    exact(`peer_${id}_memory_mb`, 'MB', memoryMb),
    exact(`speedup_${id}`, 'times', median(ms) / kernelMs, ms.length),
    exact(`peer_${id}_digest_ms`, 'ms', median(whole.ms)),
  ];
}

/** The peers that are there; without the registry our own figures are measured all the same. */
async function installed(progress: Progress): Promise<readonly PeerName[]> {
  const names: PeerName[] = [];
  for (const name of Object.keys(PEERS) as PeerName[]) {
    progress(`peers: installing ${name}`);
    try {
      await installPeer(name);
      names.push(name);
    } catch (error) {
      progress(`peers: ${name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return names;
}

/** Two-party SHA-512 of `a xor b`, both parties in one process: our engine and others from the package registry. */
export async function peersFigures(progress: Progress): Promise<readonly Figure[]> {
  const names = await installed(progress);
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-peers-'));
  try {
    for (const work of ['scalar', 'digest'] as const) await writeWork(work, folder);
    const measure: Measure = async (contestant, work, runs) => {
      progress(`peers: ${contestant}, ${work}`);
      return (await alone('peers/measure.ts', [contestant, work, folder, String(runs)])) as Measurement;
    };
    const kernel = await kernelFigures(measure);
    const netlist = await measure('netlist', 'digest', PEER_RUNS);
    const figures = [...kernel.figures, summarize('engine_digest_netlist_ms', 'ms', netlist.ms)];
    for (const name of names) figures.push(...(await peerFigures(measure, name, kernel.ms)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) print(await peersFigures(console.error));
