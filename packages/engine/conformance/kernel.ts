import { blake3 } from '@noble/hashes/blake3.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { fromHex, SecretBytes, toHex } from '@streaming-yao/core';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import vectors from '../../../vectors/engine-kernel.json' with { type: 'json' };
import { CIRCUITS, createEvaluator, createGarbler, type Engine, FREE_BITS } from '../src/index.ts';
import { type ConformanceCase, check, equal, refuses } from './case.ts';
import { activeLabels, type Inputs, inputsOf, kernelAnswers, runCircuit } from './kernel-answers.ts';
import { tape } from './session-answers.ts';

const LABEL_BYTES = 16;

function knownAnswers(engine: Engine, circuit: 'activation' | 'export'): void {
  const answers = kernelAnswers(engine, circuit);
  const expected: Readonly<Record<string, string>> = vectors[circuit];
  for (const [name, value] of Object.entries(expected)) equal(answers[name], value, name);
  equal(Object.keys(answers).length, Object.keys(expected).length, 'number of answers');
}

/** Runs the activation circuit and compares its bits with SHA-512. */
function computes(engine: Engine, inputs: Inputs, frameBytes: number): void {
  const { zeroLabels, activeLabels: active } = runCircuit(engine, inputs, 'activation', frameBytes);
  const digest = sha512(inputs.seed);
  zeroLabels.use((zero) =>
    active.use((labels) => {
      for (let i = FREE_BITS.first; i < FREE_BITS.end; i++) {
        const bit = (digest[i >> 3]! >> (i & 7)) & 1;
        for (let byte = 0; byte < LABEL_BYTES; byte++) {
          const at = LABEL_BYTES * (i - FREE_BITS.first) + byte;
          equal(labels[at]! ^ zero[at]!, bit * inputs.delta[byte]!, `label of digest bit ${i}`);
        }
      }
    }),
  );
}

function refusals(engine: Engine): void {
  const inputs = inputsOf('refusals');
  const evaluator = createEvaluator(engine, {
    circuit: 'activation',
    gateKey: SecretBytes.copy(inputs.gateKey),
    inputLabels: SecretBytes.own(activeLabels(inputs)),
  });
  const garbler = createGarbler(engine, {
    circuit: 'activation',
    gateKey: SecretBytes.copy(inputs.gateKey),
    delta: SecretBytes.copy(inputs.delta),
    inputZeroLabels: SecretBytes.copy(inputs.zeroLabels),
  });
  refuses('frame_invalid', () => evaluator.acceptTables(new Uint8Array(33)));
  refuses('frame_invalid', () => evaluator.acceptTables(new Uint8Array(CIRCUITS.activation.tableBytes + 32)));
  refuses('not_ready', () => evaluator.outputLabels());
  refuses('not_ready', () => garbler.outputZeroLabels());
  refuses('invalid_length', () => garbler.nextTables(new Uint8Array(31)));
  for (const party of [garbler, evaluator]) party.wipe();
  refuses('secret_wiped', () => garbler.nextTables(new Uint8Array(32)));
  refuses('secret_wiped', () => evaluator.acceptTables(new Uint8Array(32)));
}

export const kernelCases: readonly ConformanceCase[] = [
  { name: 'activation circuit: known answers', run: (engine) => knownAnswers(engine, 'activation') },
  { name: 'export circuit: known answers', run: (engine) => knownAnswers(engine, 'export') },
  {
    name: 'activation circuit: SHA-512 of RFC 8032 keys, all-zero, all-one and random seeds, in frames of several sizes',
    run: (engine) => {
      const keys = rfc8032.cases.map(({ secretKey }) => fromHex(secretKey));
      const random = Array.from({ length: 8 }, (_, i) => tape(`conformance seed ${i}`)(32));
      [...keys, new Uint8Array(32), new Uint8Array(32).fill(255), ...random].forEach((seed, i) => {
        computes(engine, { ...inputsOf(`conformance labels ${i}`), seed }, 32 + 11_200 * i);
      });
    },
  },
  {
    name: 'block hash: keyed BLAKE3',
    run: (engine) => {
      const random = tape('conformance blocks');
      const [key, messages] = [random(32), random(LABEL_BYTES * 7)];
      const blocks = engine.hashBlocks(key, messages, 2, 1);
      equal(blocks.length, 64 * 7, 'bytes');
      for (let i = 0; i < 7; i++) {
        const stream = blake3(messages.subarray(LABEL_BYTES * i, LABEL_BYTES * (i + 1)), { key, dkLen: 64 * (3 + i) });
        equal(toHex(blocks.subarray(64 * i, 64 * (i + 1))), toHex(stream.subarray(-64)), `block ${i}`);
      }
    },
  },
  { name: 'activation circuit: refusals', run: refusals },
  {
    name: 'activation circuit: five hundred parties one after another',
    run: (engine) => {
      const inputs = inputsOf('many');
      const frame = new Uint8Array(320);
      const first = new Set<string>();
      for (let i = 0; i < 500; i++) {
        const garbler = createGarbler(engine, {
          circuit: 'activation',
          gateKey: SecretBytes.copy(inputs.gateKey),
          delta: SecretBytes.copy(inputs.delta),
          inputZeroLabels: SecretBytes.copy(inputs.zeroLabels),
        });
        equal(garbler.nextTables(frame), 320, 'bytes');
        first.add(toHex(frame));
        garbler.wipe();
      }
      check(first.size === 1, 'every party gives the same tables');
    },
  },
];
