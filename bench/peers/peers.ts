import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alone } from '../alone.ts';
import { exact, type Figure, type Progress, print, quantile, summarize } from '../figure.ts';
import { installPeer, PEERS, type PeerName } from './install.ts';
import type { ContestantName, Measurement } from './measure.ts';
import { type WorkName, writeWork } from './work.ts';

const PEER_RUNS = 3;
const KERNEL_RUNS = 40;
const KERNEL_WARM_UP = 10;
const PAIRING_RUNS = 10;

type Measure = (contestant: ContestantName, work: WorkName, runs: number) => Promise<Measurement>;

const median = (samples: readonly number[]): number =>
  quantile(
    samples.toSorted((left, right) => left - right),
    0.5,
  );

const warm = (rounds: readonly Measurement[], time: 'ms' | 'cpuMs'): readonly number[] =>
  rounds.flatMap((round) => round[time].slice(KERNEL_WARM_UP));

/** Our kernel on the function that it is made for. */
function kernelFigures(rounds: readonly Measurement[], paired: Measurement): readonly Figure[] {
  return [
    summarize('engine_scalar_ms', 'ms', warm(rounds, 'ms')),
    summarize('engine_scalar_cpu_ms', 'ms', warm(rounds, 'cpuMs')),
    exact('engine_scalar_first_ms', 'ms', median(rounds.map(({ ms }) => ms[0] ?? 0)), rounds.length),
    summarize('engine_scalar_with_pairing_ms', 'ms', paired.ms),
    exact('engine_scalar_bytes', 'bytes', rounds[0]?.bytes ?? 0),
    exact('engine_scalar_memory_mb', 'MB', median(rounds.map(({ memoryMb }) => memoryMb)), rounds.length),
  ];
}

/**
 * A peer on the same function by the same circuit, and once on the whole digest.
 * @param rounds our kernel right before and after the peer
 */
function peerFigures(name: PeerName, peer: Measurement, whole: Measurement, rounds: readonly Measurement[]): readonly Figure[] {
  const id = name.replaceAll('-', '_');
  const speedup = (time: 'ms' | 'cpuMs'): number => median(peer[time]) / median(warm(rounds, time));
  return [
    summarize(`peer_${id}_ms`, 'ms', peer.ms),
    summarize(`peer_${id}_cpu_ms`, 'ms', peer.cpuMs),
    exact(`peer_${id}_bytes`, 'bytes', peer.bytes),
    exact(`peer_${id}_memory_mb`, 'MB', peer.memoryMb),
    exact(`speedup_${id}`, 'times', speedup('ms'), peer.ms.length),
    exact(`speedup_cpu_${id}`, 'times', speedup('cpuMs'), peer.ms.length),
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

/** Two-party SHA-512 of `a xor b`, both parties in one process: our engine and others from the package registry, in turn. */
async function compare(names: readonly PeerName[], measure: Measure): Promise<readonly Figure[]> {
  const kernel = () => measure('kernel', 'scalar', KERNEL_RUNS);
  const rounds = [await kernel()];
  const ofPeers: Figure[] = [];
  for (const name of names) {
    const peer = await measure(name, 'scalar', PEER_RUNS);
    rounds.push(await kernel());
    ofPeers.push(...peerFigures(name, peer, await measure(name, 'digest', 1), rounds.slice(-2)));
  }
  const paired = await measure('kernel-with-pairing', 'scalar', PAIRING_RUNS);
  const netlist = await measure('netlist', 'digest', PEER_RUNS);
  return [...kernelFigures(rounds, paired), summarize('engine_digest_netlist_ms', 'ms', netlist.ms), ...ofPeers];
}

/** Figures of our engine beside its peers; each contestant works in a process of its own. */
export async function peersFigures(progress: Progress): Promise<readonly Figure[]> {
  const names = await installed(progress);
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-peers-'));
  try {
    for (const work of ['scalar', 'digest'] as const) await writeWork(work, folder);
    return await compare(names, async (contestant, work, runs) => {
      progress(`peers: ${contestant}, ${work}`);
      return (await alone('peers/measure.ts', [contestant, work, folder, String(runs)])) as Measurement;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) print(await peersFigures(console.error));
