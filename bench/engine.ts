import {
  activationCircuit,
  bitWeights,
  CIRCUITS,
  circuitFigures,
  createKernel,
  projectEvaluator,
  projectGarbler,
} from '@streaming-yao/engine';
import { compileKernel } from '../packages/engine/build-kernel.mjs';
import { emptyFrames, evaluatorOf, FRAME_BYTES, freshSecrets, garblerOf, kernel, kernelWasm } from './engine-parties.ts';
import { elapsed, exact, type Figure, print, summarize } from './figure.ts';

const WARM_UP = 10;
const ROUNDS = 60;

const { and } = CIRCUITS.activation;

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

/** Times of something done in steps, in all rounds. */
class StepTimes {
  readonly #times: number[][];

  constructor(steps: number) {
    this.#times = Array.from({ length: steps }, () => []);
  }

  measure<T>(step: number, work: () => T): T {
    const start = performance.now();
    const result = work();
    this.#times[step]?.push(performance.now() - start);
    return result;
  }

  /** Whole circuits, a sum of steps for each round that counts. */
  wholes(): number[] {
    return Array.from({ length: ROUNDS }, (_, round) =>
      this.#times.reduce((total, times) => total + (times[WARM_UP + round] as number), 0),
    );
  }

  /** A whole circuit out of each step's median: what other programs take from one run does not add up. */
  typical(): number {
    return this.#times.reduce((total, times) => {
      const sorted = times.slice(WARM_UP).sort((left, right) => left - right);
      return total + (sorted[sorted.length >> 1] as number);
    }, 0);
  }
}

/** Garbling, evaluating and the bare hash take turns frame by frame, so that all three meet the same machine. */
async function speeds(): Promise<Figure[]> {
  const hashFours = await hashLoop();
  const frames = emptyFrames();
  const [opening, closing] = [frames.length, frames.length + 1];
  const [garbling, evaluating] = [new StepTimes(closing + 1), new StepTimes(closing + 1)];
  const hashing = new StepTimes(frames.length);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const secrets = freshSecrets();
    const garbler = garbling.measure(opening, () => garblerOf(secrets));
    const evaluator = evaluating.measure(opening, () => evaluatorOf(secrets));
    frames.forEach((frame, i) => {
      hashing.measure(i, () => hashFours(frame.length / 32));
      garbling.measure(i, () => garbler.nextTables(frame));
      evaluating.measure(i, () => evaluator.acceptTables(frame));
    });
    garbling.measure(closing, () => garbler.outputZeroLabels().wipe());
    evaluating.measure(closing, () => evaluator.outputLabels().wipe());
    for (const party of [garbler, evaluator]) party.wipe();
  }
  const hash = hashing.typical();
  return [
    summarize('garble_ms', 'ms', garbling.wholes()),
    summarize('evaluate_ms', 'ms', evaluating.wholes()),
    summarize(
      'four_lane_hash_ns',
      'ns',
      hashing.wholes().map((time) => (time * 1e6) / and),
    ),
    exact('garble_hash_ratio', 'ratio', garbling.typical() / hash, ROUNDS),
    exact('evaluate_hash_ratio', 'ratio', evaluating.typical() / (hash / 2), ROUNDS),
  ];
}

function projections(): Figure[] {
  const weights = bitWeights(3, 256);
  const [garbling, evaluating]: [number[], number[]] = [[], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const { gateKey: projectionKey, delta, labels } = freshSecrets();
    const common = { projectionKey, weights, firstIndex: 256 };
    let ciphertexts = new Uint8Array(0);
    const garbled = elapsed(() => {
      const projection = projectGarbler(kernel, { ...common, delta, zeroLabels: labels });
      ciphertexts = Uint8Array.from(projection.ciphertexts);
      projection.share.wipe();
    });
    const evaluated = elapsed(() => projectEvaluator(kernel, { ...common, labels, ciphertexts }).wipe());
    if (round < 0) continue;
    garbling.push(garbled);
    evaluating.push(evaluated);
  }
  return [summarize('project_garbler_ms', 'ms', garbling), summarize('project_evaluator_ms', 'ms', evaluating)];
}

/** From the bytes of the module to the first frame of tables, each time anew. */
function loading(): Figure[] {
  const secrets = freshSecrets();
  const [ready, first]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const garbler = garblerOf(secrets, createKernel(new WebAssembly.Module(kernelWasm)));
    ready.push(performance.now() - start);
    first.push(elapsed(() => garbler.nextTables(new Uint8Array(FRAME_BYTES))));
    garbler.wipe();
  }
  return [summarize('kernel_load_ms', 'ms', ready), summarize('first_frame_ms', 'ms', first)];
}

/** Circuit, garbling, evaluation and projection in one process: exact counts, and medians of 60 runs. */
export default async function benchEngine(): Promise<readonly Figure[]> {
  const circuit = circuitFigures(activationCircuit());
  return [
    exact('and_gates', 'gates', circuit.and),
    exact('xor_gates', 'gates', circuit.xor),
    exact('and_depth', 'gates', circuit.depth),
    exact('table_bytes', 'bytes', circuit.tableBytes),
    exact('wasm_bytes', 'bytes', kernelWasm.length),
    ...loading(),
    ...(await speeds()),
    ...projections(),
  ];
}

if (import.meta.main) print(await benchEngine());
