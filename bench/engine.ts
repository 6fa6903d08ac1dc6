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
import { emptyFrames, evaluate, FRAME_BYTES, freshSecrets, garble, garblerOf, kernel, kernelWasm } from './engine-parties.ts';
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

/** Garbling, evaluating and the bare hash in turn, so that all three meet the same machine. */
async function speeds(): Promise<Figure[]> {
  const hashFours = await hashLoop();
  const frames = emptyFrames();
  const [garbling, evaluating, hashing]: [number[], number[], number[]] = [[], [], []];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const secrets = freshSecrets();
    const hash = elapsed(() => hashFours(and));
    const garbled = elapsed(() => garble(secrets, frames));
    const evaluated = elapsed(() => evaluate(secrets, frames));
    if (round < 0) continue;
    hashing.push(hash);
    garbling.push(garbled);
    evaluating.push(evaluated);
  }
  const ratios = (times: readonly number[], hashes: number) =>
    times.map((time, round) => time / (hashes * ((hashing[round] as number) / and)));
  return [
    summarize('garble_ms', 'ms', garbling),
    summarize('evaluate_ms', 'ms', evaluating),
    summarize(
      'four_lane_hash_ns',
      'ns',
      hashing.map((time) => (time * 1e6) / and),
    ),
    summarize('garble_hash_ratio', 'ratio', ratios(garbling, and)),
    summarize('evaluate_hash_ratio', 'ratio', ratios(evaluating, and / 2)),
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
