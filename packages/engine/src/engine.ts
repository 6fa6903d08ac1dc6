import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { CIRCUITS } from './circuit/ceremony-circuits.ts';
import {
  type EvaluatorOptions,
  type EvaluatorParty,
  type GarblerOptions,
  type GarblerParty,
  KEY_BYTES,
  LABEL_BYTES,
} from './garble/party.ts';
import type { EvaluatorProjectionOptions, GarblerProjection, GarblerProjectionOptions } from './share/options.ts';
import { checkDelta } from './share/projection.ts';

/**
 * What garbles, evaluates and projects: the WebAssembly kernel, or its plain TypeScript twin with the same bytes. Its methods
 * take their options on trust; `createGarbler`, `createEvaluator`, `projectGarbler` and `projectEvaluator` check them first.
 */
export interface Engine {
  garbler(options: GarblerOptions): GarblerParty;
  evaluator(options: EvaluatorOptions): EvaluatorParty;
  projectGarbler(options: GarblerProjectionOptions): GarblerProjection;
  projectEvaluator(options: EvaluatorProjectionOptions): SecretBytes;
  /**
   * Block `firstCounter + counterStep * i` of keyed BLAKE3 of the 16-byte message i.
   * @param key 32 bytes
   * @param messages 16 bytes each
   * @param firstCounter so that every counter is below 2^32
   * @returns 64 bytes per message
   */
  hashBlocks(key: Uint8Array, messages: Uint8Array, firstCounter: number, counterStep: 0 | 1): Uint8Array;
}

function checkCommon(options: GarblerOptions | EvaluatorOptions, labels: SecretBytes): void {
  const expected = LABEL_BYTES * CIRCUITS[options.circuit].inputs;
  if (options.gateKey.length !== KEY_BYTES) throw new YaoError('invalid_length', `the gate key has ${KEY_BYTES} bytes`);
  if (labels.length !== expected) {
    throw new YaoError('invalid_length', `the circuit takes ${expected} bytes of input labels, got ${labels.length}`);
  }
}

/**
 * A garbler for one ceremony. The secrets are copied; the caller wipes its own.
 * @throws YaoError `invalid_length`, `invalid_request` for a secret of the wrong shape
 */
export function createGarbler(engine: Engine, options: GarblerOptions): GarblerParty {
  checkCommon(options, options.inputZeroLabels);
  checkDelta(options.delta);
  return engine.garbler(options);
}

/**
 * An evaluator for one ceremony. The secrets are copied; the caller wipes its own.
 * @throws YaoError `invalid_length` for a secret of the wrong shape
 */
export function createEvaluator(engine: Engine, options: EvaluatorOptions): EvaluatorParty {
  checkCommon(options, options.inputLabels);
  return engine.evaluator(options);
}
