import { SecretBytes } from '@streaming-yao/core';
import { type CircuitName, createEvaluator, createGarbler, type Engine } from '../src/index.ts';
import { tape } from './fixtures.ts';

export const LABEL = 16;
export const FRAME_BYTES = 65_472;

/** Everything secret of one ceremony, in the open. */
export interface Secrets {
  readonly gateKey: Uint8Array;
  readonly projectionKey: Uint8Array;
  readonly delta: Uint8Array;
  /** Zero-labels of the 256 inputs. */
  readonly zeroLabels: Uint8Array;
  readonly seed: Uint8Array;
}

export function secretsOf(name: string): Secrets {
  const random = tape(name);
  const delta = random(16);
  delta[0] = delta[0]! | 1;
  return { gateKey: random(32), projectionKey: random(32), delta, zeroLabels: random(256 * LABEL), seed: random(32) };
}

export const bitOf = (bytes: Uint8Array, i: number): number => (bytes[i >> 3]! >> (i & 7)) & 1;

/** Zero-labels, with delta added where the bit is set. */
export function activeLabels(zeroLabels: Uint8Array, delta: Uint8Array, bits: (wire: number) => number): Uint8Array {
  return zeroLabels.map((byte, i) => byte ^ (delta[i % LABEL]! * bits(Math.floor(i / LABEL))));
}

export function garblerOf(engine: Engine, secrets: Secrets, circuit: CircuitName = 'activation') {
  return createGarbler(engine, {
    circuit,
    gateKey: SecretBytes.copy(secrets.gateKey),
    delta: SecretBytes.copy(secrets.delta),
    inputZeroLabels: SecretBytes.copy(secrets.zeroLabels),
  });
}

export function evaluatorOf(engine: Engine, secrets: Secrets, circuit: CircuitName = 'activation') {
  const inputLabels = activeLabels(secrets.zeroLabels, secrets.delta, (wire) => bitOf(secrets.seed, wire));
  return createEvaluator(engine, {
    circuit,
    gateKey: SecretBytes.copy(secrets.gateKey),
    inputLabels: SecretBytes.own(inputLabels),
  });
}

export const reveal = (secret: SecretBytes): Uint8Array => secret.use((bytes) => bytes.slice());

/** @param frameBytes length of the n-th buffer */
export function garbleAll(engine: Engine, secrets: Secrets, frameBytes: (n: number) => number = () => FRAME_BYTES) {
  const garbler = garblerOf(engine, secrets);
  const frames: Uint8Array[] = [];
  for (let n = 0; ; n++) {
    const frame = new Uint8Array(frameBytes(n));
    const written = garbler.nextTables(frame);
    if (written === 0) break;
    frames.push(frame.subarray(0, written));
  }
  const outputs = reveal(garbler.outputZeroLabels());
  garbler.wipe();
  return { tables: Uint8Array.from(Buffer.concat(frames)), outputs };
}

/** @param frameBytes length of the n-th chunk, whole gates */
export function evaluateAll(
  engine: Engine,
  secrets: Secrets,
  tables: Uint8Array,
  frameBytes: (n: number) => number = () => FRAME_BYTES,
): Uint8Array {
  const evaluator = evaluatorOf(engine, secrets);
  for (let n = 0, start = 0; start < tables.length; n++) {
    const length = frameBytes(n);
    evaluator.acceptTables(tables.subarray(start, start + length));
    start += length;
  }
  const outputs = reveal(evaluator.outputLabels());
  evaluator.wipe();
  return outputs;
}

/** The bits that active labels stand for; refuses labels that belong to neither bit. */
export function decode(zeroLabels: Uint8Array, delta: Uint8Array, active: Uint8Array): number[] {
  return Array.from({ length: active.length / LABEL }, (_, wire) => {
    const label = Buffer.from(active.subarray(LABEL * wire, LABEL * (wire + 1)));
    const zero = zeroLabels.subarray(LABEL * wire, LABEL * (wire + 1));
    if (label.equals(zero)) return 0;
    if (label.equals(zero.map((byte, i) => byte ^ delta[i]!))) return 1;
    throw new Error(`output ${wire} has a label of neither bit`);
  });
}
