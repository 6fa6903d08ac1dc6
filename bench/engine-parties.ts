import { readFileSync } from 'node:fs';
import { SecretBytes } from '@streaming-yao/core';
import {
  CIRCUITS,
  createEvaluator,
  createGarbler,
  createKernel,
  type EvaluatorParty,
  type GarblerParty,
} from '@streaming-yao/engine';

/** Bytes of tables in a frame of 64 KiB. */
export const FRAME_BYTES = 65_472;

export const kernelWasm = new Uint8Array(readFileSync(new URL(import.meta.resolve('@streaming-yao/engine/kernel.wasm'))));
export const kernel = createKernel(new WebAssembly.Module(kernelWasm));

export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** What one garbling of the activation is made from. */
export interface Secrets {
  readonly gateKey: SecretBytes;
  readonly delta: SecretBytes;
  readonly labels: SecretBytes;
}

export function freshSecrets(): Secrets {
  const delta = random(16);
  delta[0] = (delta[0] as number) | 1;
  return {
    gateKey: SecretBytes.own(random(32)),
    delta: SecretBytes.own(delta),
    labels: SecretBytes.own(random(4096)),
  };
}

export const garblerOf = ({ gateKey, delta, labels }: Secrets, from = kernel): GarblerParty =>
  createGarbler(from, { circuit: 'activation', gateKey, delta, inputZeroLabels: labels });

export const evaluatorOf = ({ gateKey, labels }: Secrets, from = kernel): EvaluatorParty =>
  createEvaluator(from, { circuit: 'activation', gateKey, inputLabels: labels });

/** Garbles a whole circuit into the frames, one after another. */
export function garble(secrets: Secrets, frames: readonly Uint8Array[]): void {
  const garbler = garblerOf(secrets);
  for (const frame of frames) garbler.nextTables(frame);
  garbler.outputZeroLabels().wipe();
  garbler.wipe();
}

export function evaluate(secrets: Secrets, frames: readonly Uint8Array[]): void {
  const evaluator = evaluatorOf(secrets);
  for (const frame of frames) evaluator.acceptTables(frame);
  evaluator.outputLabels().wipe();
  evaluator.wipe();
}

/** Buffers for one whole circuit. */
export function emptyFrames(): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let left = CIRCUITS.activation.tableBytes; left > 0; left -= FRAME_BYTES) {
    frames.push(new Uint8Array(Math.min(left, FRAME_BYTES)));
  }
  return frames;
}
