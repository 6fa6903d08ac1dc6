import { SecretBytes } from '@streaming-yao/core';
import { blake3Block } from '../garble/blake3.ts';
import { type Block, colour, xor } from '../garble/half-gates.ts';
import { putWords, toWords } from '../garble/labels.ts';
import { ED25519_ORDER, littleEndianToNumber, numberToLittleEndian, reduce, SCALAR_BYTES } from './modulus.ts';
import type { EvaluatorProjectionOptions, GarblerProjection, GarblerProjectionOptions } from './options.ts';

const LABEL_WORDS = 4;

/** H'(label, index): output block `index` of keyed BLAKE3, all 64 bytes, as a number. */
function hashToNumber(key: Uint32Array, label: Block, index: number): bigint {
  const words = new Uint32Array(16);
  blake3Block(key, label, index, words);
  const bytes = new Uint8Array(64);
  putWords(words, bytes);
  return littleEndianToNumber(bytes);
}

const scalarAt = (scalars: Uint8Array, i: number): bigint =>
  littleEndianToNumber(scalars.subarray(SCALAR_BYTES * i, SCALAR_BYTES * (i + 1)));

const labelAt = (labels: Uint32Array, i: number): Block => labels.subarray(LABEL_WORDS * i, LABEL_WORDS * (i + 1));

/** The garbler's side with plain big numbers; the engine's documentation gives the formulas. */
export function twinProjectGarbler(options: GarblerProjectionOptions): GarblerProjection {
  const { weights, firstIndex, modulus = ED25519_ORDER } = options;
  const key = options.projectionKey.use(toWords);
  const delta = options.delta.use(toWords);
  const zeroLabels = options.zeroLabels.use(toWords);
  const ciphertexts = new Uint8Array(weights.length);
  let share = 0n;
  for (let i = 0; SCALAR_BYTES * i < weights.length; i++) {
    const weight = scalarAt(weights, i);
    const zero = labelAt(zeroLabels, i);
    const one = xor(zero, delta);
    const p = colour(zero);
    const [colourless, coloured] = p === 0 ? [zero, one] : [one, zero];
    const alpha = BigInt(p) * weight - hashToNumber(key, colourless, firstIndex + i);
    const ciphertext = BigInt(1 - p) * weight - alpha - hashToNumber(key, coloured, firstIndex + i);
    ciphertexts.set(numberToLittleEndian(reduce(ciphertext, modulus), SCALAR_BYTES), SCALAR_BYTES * i);
    share += alpha;
  }
  for (const words of [key, delta, zeroLabels]) words.fill(0);
  return { ciphertexts, share: SecretBytes.own(numberToLittleEndian(reduce(share, modulus), SCALAR_BYTES)) };
}

/** The evaluator's side with plain big numbers. */
export function twinProjectEvaluator(options: EvaluatorProjectionOptions): SecretBytes {
  const { ciphertexts, firstIndex, modulus = ED25519_ORDER } = options;
  const key = options.projectionKey.use(toWords);
  const labels = options.labels.use(toWords);
  let share = 0n;
  for (let i = 0; LABEL_WORDS * i < labels.length; i++) {
    const label = labelAt(labels, i);
    share += hashToNumber(key, label, firstIndex + i) + BigInt(colour(label)) * scalarAt(ciphertexts, i);
  }
  for (const words of [key, labels]) words.fill(0);
  return SecretBytes.own(numberToLittleEndian(reduce(share, modulus), SCALAR_BYTES));
}
