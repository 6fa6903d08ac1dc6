import { SecretBytes } from '@streaming-yao/core';
import { KEY_BYTES, LABEL_BYTES } from '../garble/party.ts';
import { ED25519_ORDER, numberToLittleEndian, SCALAR_BYTES } from '../share/modulus.ts';
import type { EvaluatorProjectionOptions, GarblerProjection, GarblerProjectionOptions } from '../share/options.ts';
import type { KernelInstance, KernelInstances } from './instance.ts';

const MODULUS_BYTES = 100;
const BLOCK_BYTES = 64;

/** m, 2^256 mod m, 2^512 mod m, 32 bytes each, and -1/m modulo 2^32: what the kernel's arithmetic starts from. */
function modulusConstants(modulus: bigint): Uint8Array {
  let inverse = 1n;
  // Newton's iteration doubles the correct low bits of the inverse each time.
  for (let bits = 1; bits < 32; bits *= 2) inverse = BigInt.asUintN(32, inverse * (2n - modulus * inverse));
  const constants = new Uint8Array(MODULUS_BYTES);
  [modulus, 2n ** 256n % modulus, 2n ** 512n % modulus].forEach((number, i) => {
    constants.set(numberToLittleEndian(number, SCALAR_BYTES), SCALAR_BYTES * i);
  });
  constants.set(numberToLittleEndian(BigInt.asUintN(32, -inverse), 4), 3 * SCALAR_BYTES);
  return constants;
}

const knownConstants = new Map<bigint, Uint8Array>();

function constantsOf(modulus: bigint): Uint8Array {
  const known = knownConstants.get(modulus);
  if (known) return known;
  const made = modulusConstants(modulus);
  // A library user may go through many moduli; the ceremony has one.
  if (knownConstants.size < 16) knownConstants.set(modulus, made);
  return made;
}

/** Runs `project` over the wires, as many at a time as the instance has room for, and takes the share. */
function collectShare(
  instance: KernelInstance,
  options: GarblerProjectionOptions | EvaluatorProjectionOptions,
  labels: SecretBytes,
  project: (first: number, wires: number) => void,
): SecretBytes {
  const { projectionKey, modulus = ED25519_ORDER } = options;
  const most = instance.calls.LABELS_LENGTH.value;
  projectionKey.use((bytes) => instance.view('key', KEY_BYTES).set(bytes));
  instance.view('modulus', MODULUS_BYTES).set(constantsOf(modulus));
  instance.calls.beginShare();
  for (let first = 0; LABEL_BYTES * first < labels.length; first += most) {
    const wires = Math.min(most, labels.length / LABEL_BYTES - first);
    labels.use((bytes) =>
      instance.view('labels', LABEL_BYTES * wires).set(bytes.subarray(LABEL_BYTES * first, LABEL_BYTES * (first + wires))),
    );
    project(first, wires);
  }
  instance.calls.finishShare();
  return SecretBytes.copy(instance.view('share', SCALAR_BYTES));
}

/** The garbler's side of a projection; the options have been checked. */
export function kernelProjectGarbler(instances: KernelInstances, options: GarblerProjectionOptions): GarblerProjection {
  const { weights, firstIndex, delta, zeroLabels } = options;
  const ciphertexts = new Uint8Array(weights.length);
  const share = instances.use((instance) => {
    delta.use((bytes) => instance.view('delta', LABEL_BYTES).set(bytes));
    return collectShare(instance, options, zeroLabels, (first, wires) => {
      const part = weights.subarray(SCALAR_BYTES * first, SCALAR_BYTES * (first + wires));
      instance.view('weights', part.length).set(part);
      instance.calls.projectGarbler(wires, firstIndex + first);
      ciphertexts.set(instance.view('tables', part.length), SCALAR_BYTES * first);
    });
  });
  return { ciphertexts, share };
}

/** The evaluator's side of a projection; the options have been checked. */
export function kernelProjectEvaluator(instances: KernelInstances, options: EvaluatorProjectionOptions): SecretBytes {
  const { ciphertexts, firstIndex, labels } = options;
  return instances.use((instance) =>
    collectShare(instance, options, labels, (first, wires) => {
      const part = ciphertexts.subarray(SCALAR_BYTES * first, SCALAR_BYTES * (first + wires));
      instance.view('tables', part.length).set(part);
      instance.calls.projectEvaluator(wires, firstIndex + first);
    }),
  );
}

/** Keyed BLAKE3 output blocks of 16-byte messages, see `Engine`. */
export function kernelHashBlocks(
  instances: KernelInstances,
  key: Uint8Array,
  messages: Uint8Array,
  firstCounter: number,
  counterStep: 0 | 1,
): Uint8Array {
  const blocks = new Uint8Array((BLOCK_BYTES / LABEL_BYTES) * messages.length);
  instances.use((instance) => {
    const most = instance.calls.LABELS_LENGTH.value;
    instance.view('key', KEY_BYTES).set(key);
    for (let first = 0; LABEL_BYTES * first < messages.length; first += most) {
      const part = messages.subarray(LABEL_BYTES * first, LABEL_BYTES * (first + most));
      const count = part.length / LABEL_BYTES;
      instance.view('labels', part.length).set(part);
      instance.calls.hashBlocks(count, firstCounter + counterStep * first, counterStep);
      blocks.set(instance.view('tables', BLOCK_BYTES * count), BLOCK_BYTES * first);
    }
  });
  return blocks;
}
