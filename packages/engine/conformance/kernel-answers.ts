import { sha256 } from '@noble/hashes/sha2.js';
import { SecretBytes, toHex } from '@streaming-yao/core';
import {
  bitWeights,
  type CircuitName,
  colours,
  createEvaluator,
  createGarbler,
  ED25519_ORDER,
  type Engine,
  projectEvaluator,
  projectGarbler,
} from '../src/index.ts';
import { type Answers, tape } from './session-answers.ts';

const FRAME_BYTES = 65_472;
const LABEL_BYTES = 16;
const FIRST_INDEX = { activation: 3, export: 256 } as const;

const digest = (bytes: Uint8Array): string => toHex(sha256(bytes));
const hex = (secret: SecretBytes): string => secret.use((bytes) => toHex(bytes));
const secretDigest = (secret: SecretBytes): string => secret.use(digest);

/** Secrets of one ceremony, read from the tape of their name in this order. */
export interface Inputs {
  readonly gateKey: Uint8Array;
  readonly projectionKey: Uint8Array;
  readonly delta: Uint8Array;
  readonly zeroLabels: Uint8Array;
  readonly seed: Uint8Array;
}

export function inputsOf(name: string): Inputs {
  const random = tape(name);
  const [gateKey, projectionKey, delta, zeroLabels, seed] = [32, 32, 16, 256 * LABEL_BYTES, 32].map(random) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  delta[0] = delta[0]! | 1;
  return { gateKey, projectionKey, delta, zeroLabels, seed };
}

/** Labels of the seed's bits. */
export function activeLabels({ zeroLabels, delta, seed }: Inputs): Uint8Array {
  const bit = (wire: number): number => (seed[wire >> 3]! >> (wire & 7)) & 1;
  return zeroLabels.map((byte, i) => byte ^ (delta[i % LABEL_BYTES]! * bit(Math.floor(i / LABEL_BYTES))));
}

export interface Run {
  readonly tables: Uint8Array;
  readonly zeroLabels: SecretBytes;
  readonly activeLabels: SecretBytes;
}

/**
 * Garbles and evaluates, frame by frame.
 * @param frameBytes at least one gate
 */
export function runCircuit(engine: Engine, inputs: Inputs, circuit: CircuitName, frameBytes = FRAME_BYTES): Run {
  const garbler = createGarbler(engine, {
    circuit,
    gateKey: SecretBytes.copy(inputs.gateKey),
    delta: SecretBytes.copy(inputs.delta),
    inputZeroLabels: SecretBytes.copy(inputs.zeroLabels),
  });
  const evaluator = createEvaluator(engine, {
    circuit,
    gateKey: SecretBytes.copy(inputs.gateKey),
    inputLabels: SecretBytes.own(activeLabels(inputs)),
  });
  const frame = new Uint8Array(frameBytes);
  const frames: Uint8Array[] = [];
  for (let written = garbler.nextTables(frame); written > 0; written = garbler.nextTables(frame)) {
    frames.push(frame.slice(0, written));
    evaluator.acceptTables(frame.subarray(0, written));
  }
  const tables = new Uint8Array(frames.reduce((total, { length }) => total + length, 0));
  frames.reduce((at, part) => {
    tables.set(part, at);
    return at + part.length;
  }, 0);
  const run = { tables, zeroLabels: garbler.outputZeroLabels(), activeLabels: evaluator.outputLabels() };
  garbler.wipe();
  evaluator.wipe();
  return run;
}

/** What the tape of a circuit's name must give. */
export function kernelAnswers(engine: Engine, circuit: CircuitName): Answers {
  const inputs = inputsOf(`kernel ${circuit}`);
  const { tables, zeroLabels, activeLabels: active } = runCircuit(engine, inputs, circuit);
  const common = {
    projectionKey: SecretBytes.copy(inputs.projectionKey),
    weights: bitWeights(FIRST_INDEX.activation, zeroLabels.length / LABEL_BYTES),
    firstIndex: FIRST_INDEX[circuit],
  };
  const { ciphertexts, share } = projectGarbler(engine, { ...common, delta: SecretBytes.copy(inputs.delta), zeroLabels });
  const other = projectEvaluator(engine, { ...common, labels: active, ciphertexts });
  return {
    tables: digest(tables),
    tableBytes: String(tables.length),
    firstTables: toHex(tables.subarray(0, 64)),
    zeroLabels: secretDigest(zeroLabels),
    activeLabels: secretDigest(active),
    garblerColours: hex(colours(zeroLabels)),
    evaluatorColours: hex(colours(active)),
    ciphertexts: digest(ciphertexts),
    garblerShare: hex(share),
    evaluatorShare: hex(other),
    order: ED25519_ORDER.toString(16),
    hashBlocks: digest(engine.hashBlocks(inputs.gateKey, inputs.zeroLabels, 5, 1)),
  };
}
