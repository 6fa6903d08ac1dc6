import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SecretBytes } from '@streaming-yao/core';
import {
  activationCircuit,
  bitWeights,
  CIRCUITS,
  circuitFigures,
  createEvaluator,
  createGarbler,
  createKernel,
  type EvaluatorParty,
  type GarblerParty,
  projectEvaluator,
  projectGarbler,
} from '@streaming-yao/engine';
import { compileKernel } from '../packages/engine/build-kernel.mjs';

interface Figure {
  readonly id: string;
  /** Median, or an exact count. */
  readonly value: number;
  readonly unit: string;
  readonly n: number;
  readonly p95?: number;
}

const FRAME_BYTES = 65_472;
const WARM_UP = 10;
const ROUNDS = 60;

const wasm = new Uint8Array(readFileSync(new URL(import.meta.resolve('@streaming-yao/engine/kernel.wasm'))));
const kernel = createKernel(new WebAssembly.Module(wasm));
const { and, tableBytes } = CIRCUITS.activation;

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const exact = (id: string, value: number, unit: string): Figure => ({ id, value, unit, n: 1 });

function summary(id: string, samples: readonly number[], unit = 'ms'): Figure {
  const sorted = [...samples].sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { id, value: at(0.5), unit, n: sorted.length, p95: at(0.95) };
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

interface Secrets {
  readonly gateKey: SecretBytes;
  readonly delta: SecretBytes;
  readonly labels: SecretBytes;
}

function freshSecrets(): Secrets {
  const delta = random(16);
  delta[0] = (delta[0] as number) | 1;
  return {
    gateKey: SecretBytes.own(random(32)),
    delta: SecretBytes.own(delta),
    labels: SecretBytes.own(random(4096)),
  };
}

const garblerOf = ({ gateKey, delta, labels }: Secrets, from = kernel): GarblerParty =>
  createGarbler(from, { circuit: 'activation', gateKey, delta, inputZeroLabels: labels });

const evaluatorOf = ({ gateKey, labels }: Secrets, from = kernel): EvaluatorParty =>
  createEvaluator(from, { circuit: 'activation', gateKey, inputLabels: labels });

/** Garbles a whole circuit into the frames, one after another. */
function garble(secrets: Secrets, frames: readonly Uint8Array[]): void {
  const garbler = garblerOf(secrets);
  for (const frame of frames) garbler.nextTables(frame);
  garbler.outputZeroLabels().wipe();
  garbler.wipe();
}

function evaluate(secrets: Secrets, frames: readonly Uint8Array[]): void {
  const evaluator = evaluatorOf(secrets);
  for (const frame of frames) evaluator.acceptTables(frame);
  evaluator.outputLabels().wipe();
  evaluator.wipe();
}

/** Buffers for one whole circuit. */
function emptyFrames(): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let left: number = tableBytes; left > 0; left -= FRAME_BYTES) frames.push(new Uint8Array(Math.min(left, FRAME_BYTES)));
  return frames;
}

/** The kernel's own gate hash, four lanes at once, without garbling around it. */
const HASH_LOOP = `
import { delta, key, keyState, labels } from './memory';
import { prepareKey, rotations } from './half-gates';
export function hashFours(count: i32): void {
  prepareKey();
  let sum = v128.load(delta);
  for (let i = 0; i < count; i++) {
    const counter = i32x4.splat(i);
    let h0 = v128.load(labels);
    let h1 = v128.load(labels, 16);
    let h2 = v128.load(labels, 32);
    let h3 = v128.load(labels, 48);
    //@gate-hash h0 h1 h2 h3 counter
    sum = v128.xor(sum, v128.xor(v128.xor(h0, h1), v128.xor(h2, h3)));
  }
  v128.store(delta, sum);
}
`;

async function hashLoop(): Promise<(count: number) => void> {
  const binary = new Uint8Array(await compileKernel({ 'index.ts': HASH_LOOP }));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary));
  return (exports as { hashFours: (count: number) => void }).hashFours;
}

/** Garbling, evaluating and the bare hash in turn, so that all three meet the same machine. */
async function speeds(): Promise<Figure[]> {
  const hashFours = await hashLoop();
  const frames = emptyFrames();
  const [garbling, evaluating, hashing]: [number[], number[], number[]] = [[], [], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const secrets = freshSecrets();
    const hash = timed(() => hashFours(and));
    const garbled = timed(() => garble(secrets, frames));
    const evaluated = timed(() => evaluate(secrets, frames));
    if (round < 0) continue;
    hashing.push(hash);
    garbling.push(garbled);
    evaluating.push(evaluated);
  }
  const ratios = (times: readonly number[], hashes: number) =>
    times.map((time, round) => time / (hashes * ((hashing[round] as number) / and)));
  return [
    summary('garble_ms', garbling),
    summary('evaluate_ms', evaluating),
    summary(
      'four_lane_hash_ns',
      hashing.map((time) => (time * 1e6) / and),
      'ns',
    ),
    summary('garble_hash_ratio', ratios(garbling, and), 'ratio'),
    summary('evaluate_hash_ratio', ratios(evaluating, and / 2), 'ratio'),
  ];
}

function projections(): Figure[] {
  const weights = bitWeights(3, 256);
  const [garbling, evaluating]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const { gateKey: projectionKey, delta, labels } = freshSecrets();
    const common = { projectionKey, weights, firstIndex: 256 };
    let ciphertexts = new Uint8Array(0);
    const garbled = timed(() => {
      const projection = projectGarbler(kernel, { ...common, delta, zeroLabels: labels });
      ciphertexts = Uint8Array.from(projection.ciphertexts);
      projection.share.wipe();
    });
    const evaluated = timed(() => projectEvaluator(kernel, { ...common, labels, ciphertexts }).wipe());
    if (round < 0) continue;
    garbling.push(garbled);
    evaluating.push(evaluated);
  }
  return [summary('project_garbler_ms', garbling), summary('project_evaluator_ms', evaluating)];
}

/** From the bytes of the module to the first frame of tables, each time anew. */
function loading(): Figure[] {
  const secrets = freshSecrets();
  const [ready, first]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const fresh = createKernel(new WebAssembly.Module(wasm));
    const garbler = createGarbler(fresh, {
      circuit: 'activation',
      gateKey: secrets.gateKey,
      delta: secrets.delta,
      inputZeroLabels: secrets.labels,
    });
    ready.push(performance.now() - start);
    first.push(timed(() => garbler.nextTables(new Uint8Array(FRAME_BYTES))));
    garbler.wipe();
  }
  return [summary('kernel_load_ms', ready), summary('first_frame_ms', first)];
}

const collect = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** Bytes in use after all garbage is gone; WebAssembly memories count as external. */
function bytesInUse(): number {
  // The first collection finds what is dead, the second what that kept alive.
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What a party and its frame keep while at work, averaged over many at once. */
function partyMegabytes(make: (frame: Uint8Array) => { wipe(): void }): number {
  const parties = 40;
  const before = bytesInUse();
  const held = Array.from({ length: parties }, () => {
    const frame = new Uint8Array(FRAME_BYTES);
    return { frame, party: make(frame) };
  });
  const bytes = (bytesInUse() - before) / parties;
  for (const { party } of held) party.wipe();
  return bytes / 2 ** 20;
}

/** Memory of one ceremony in the party that needs more, and what fifty ceremonies leave behind. */
function memory(): Figure[] {
  const secrets = freshSecrets();
  const compiled = () => createKernel(new WebAssembly.Module(wasm));
  const [garblers, evaluators] = [compiled(), compiled()];
  const garbler = partyMegabytes((frame) => {
    const party = garblerOf(secrets, garblers);
    party.nextTables(frame);
    return party;
  });
  const evaluator = partyMegabytes((frame) => {
    const party = evaluatorOf(secrets, evaluators);
    party.acceptTables(frame);
    return party;
  });
  const frames = emptyFrames();
  const before = bytesInUse();
  for (let run = 0; run < 50; run++) {
    garble(secrets, frames);
    evaluate(secrets, frames);
  }
  return [
    exact('ceremony_memory_mb', Math.max(garbler, evaluator), 'MB'),
    exact('memory_growth_50_runs_mb', (bytesInUse() - before) / 2 ** 20, 'MB'),
  ];
}

/** Welch's t of the first frame's time with fixed and with fresh secrets: beyond 4.5 in size, time would tell them apart. */
function timingDifference(id: string, work: (secrets: Secrets) => void): Figure {
  const fixed = freshSecrets();
  const samples: [number[], number[]] = [[], []];
  for (let round = 0; round < 2_000; round++) {
    const kind = (random(1)[0] as number) & 1;
    const secrets = kind ? freshSecrets() : fixed;
    const time = timed(() => work(secrets));
    if (round >= 200) samples[kind as 0 | 1].push(time);
  }
  // The slowest tenth belongs to the machine.
  const kept = samples.map((times) => times.sort((left, right) => left - right).slice(0, Math.floor(times.length * 0.9)));
  const [left, right] = kept.map((times) => {
    const mean = times.reduce((total, time) => total + time, 0) / times.length;
    const variance = times.reduce((total, time) => total + (time - mean) ** 2, 0) / (times.length - 1);
    return { mean, error: variance / times.length };
  }) as [{ mean: number; error: number }, { mean: number; error: number }];
  return {
    id,
    value: Math.abs(left.mean - right.mean) / Math.sqrt(left.error + right.error),
    unit: 't',
    n: kept.flat().length,
  };
}

function timingDifferences(): Figure[] {
  const frame = new Uint8Array(16_384);
  return [
    timingDifference('garble_timing_t', (secrets) => {
      const garbler = garblerOf(secrets);
      garbler.nextTables(frame);
      garbler.wipe();
    }),
    timingDifference('evaluate_timing_t', (secrets) => {
      const evaluator = evaluatorOf(secrets);
      evaluator.acceptTables(frame);
      evaluator.wipe();
    }),
  ];
}

/** Circuit, garbling, evaluation and projection in one process: exact counts, and medians of 60 runs. */
export default async function benchEngine(): Promise<readonly Figure[]> {
  const circuit = circuitFigures(activationCircuit());
  return [
    exact('and_gates', circuit.and, 'gates'),
    exact('xor_gates', circuit.xor, 'gates'),
    exact('and_depth', circuit.depth, 'gates'),
    exact('table_bytes', circuit.tableBytes, 'bytes'),
    exact('wasm_bytes', wasm.length, 'bytes'),
    ...memory(),
    ...loading(),
    ...(await speeds()),
    ...projections(),
    ...timingDifferences(),
  ];
}

if (import.meta.main) {
  for (const { id, value, unit, p95, n } of await benchEngine()) {
    const spread = p95 === undefined ? '' : `   p95 ${p95.toFixed(3).padStart(10)}   n ${n}`;
    console.log(`${id.padEnd(26)} ${value.toFixed(3).padStart(14)} ${unit.padEnd(6)}${spread}`);
  }
}
