import { type SecretBytes, YaoError } from '@streaming-yao/core';
import type { Engine } from '../engine.ts';
import { KEY_BYTES, LABEL_BYTES } from '../garble/party.ts';
import { allCanonical, checkModulus, ED25519_ORDER, SCALAR_BYTES } from './modulus.ts';
import type { EvaluatorProjectionOptions, GarblerProjection, GarblerProjectionOptions } from './options.ts';

function checkCommon(options: GarblerProjectionOptions | EvaluatorProjectionOptions, labels: SecretBytes): void {
  const { weights, firstIndex, projectionKey, modulus = ED25519_ORDER } = options;
  const wires = labels.length / LABEL_BYTES;
  checkModulus(modulus);
  if (projectionKey.length !== KEY_BYTES) throw new YaoError('invalid_length', `the projection key has ${KEY_BYTES} bytes`);
  if (!Number.isInteger(wires) || weights.length !== SCALAR_BYTES * wires) {
    throw new YaoError('invalid_length', `${labels.length} bytes of labels do not go with ${weights.length} bytes of weights`);
  }
  if (!Number.isInteger(firstIndex) || firstIndex < 0 || firstIndex + wires > 2 ** 32) {
    throw new YaoError('invalid_request', `hash indices from ${firstIndex} on for ${wires} wires are out of range`);
  }
  if (!allCanonical(weights, modulus)) throw new YaoError('invalid_scalar', 'a weight is not below the modulus');
}

/**
 * Turns garbled wires into additive shares of the weighted sum of their bits, modulo a prime, without an AND gate. For a wire
 * i of weight w, with p the colour of its zero-label W^0 and H' a hash to scalars:
 *
 *     garbler:    alpha = p*w - H'(W^p, i)     ciphertext t = (1-p)*w - alpha - H'(W^(1-p), i)
 *     evaluator:  beta  = H'(W, i) + colour(W)*t              alpha + beta = bit*w
 *
 * H'(W, i) is the 64-byte output block i of BLAKE3 (keyed with the projection key) of the label, reduced.
 * @returns the ciphertexts and the sum of all alpha
 * @throws YaoError `invalid_length`, `invalid_request`, `invalid_scalar` for options that do not fit together
 */
export function projectGarbler(engine: Engine, options: GarblerProjectionOptions): GarblerProjection {
  checkCommon(options, options.zeroLabels);
  checkDelta(options.delta);
  return engine.projectGarbler(options);
}

/**
 * The evaluator's side of {@link projectGarbler}.
 * @returns the sum of all beta, 32 bytes little-endian
 * @throws YaoError `frame_invalid` for ciphertexts of a wrong length or a scalar that is not reduced, and as {@link projectGarbler}
 */
export function projectEvaluator(engine: Engine, options: EvaluatorProjectionOptions): SecretBytes {
  checkCommon(options, options.labels);
  const { ciphertexts, weights, modulus = ED25519_ORDER } = options;
  if (ciphertexts.length !== weights.length || !allCanonical(ciphertexts, modulus)) {
    throw new YaoError('frame_invalid', 'the projection ciphertexts are not one reduced scalar per wire');
  }
  return engine.projectEvaluator(options);
}

/** @throws YaoError `invalid_request` unless `delta` is a free-XOR difference: 16 bytes, lowest bit set */
export function checkDelta(delta: SecretBytes): void {
  if (delta.length === LABEL_BYTES && delta.use((bytes) => bytes[0]! & 1) === 1) return;
  throw new YaoError('invalid_request', `delta has ${LABEL_BYTES} bytes and its lowest bit is set`);
}
