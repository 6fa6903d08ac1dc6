import { SecretBytes } from '@streaming-yao/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { XOR } from '../src/circuit/circuit.ts';
import { type Block, garbleAnd, xor } from '../src/garble/half-gates.ts';
import { toWords } from '../src/garble/labels.ts';
import { ceremonyCircuit } from '../src/garble/twin.ts';
import { bitWeights, createKernel, type Kernel, projectEvaluator, projectGarbler } from '../src/index.ts';
import { loadKernel } from '../src/node.ts';
import { codeOf } from './fixtures.ts';
import { evaluateAll, evaluatorOf, garbleAll, garblerOf, LABEL, type Secrets, secretsOf } from './garbling.ts';

const kernel = loadKernel();

/** Zero-labels of every wire of the activation circuit, by wire. */
function allZeroLabels(secrets: Secrets): Block[] {
  const { kinds, left, right } = ceremonyCircuit('activation');
  const [key, delta, inputs] = [secrets.gateKey, secrets.delta, secrets.zeroLabels].map(toWords) as [Block, Block, Block];
  const labels: Block[] = [new Uint32Array(4)];
  for (let i = 0; i < 256; i++) labels.push(inputs.subarray(4 * i, 4 * i + 4));
  const read = (literal: number): Block => (literal & 1 ? xor(labels[literal >> 1]!, delta) : labels[literal >> 1]!);
  let ands = 0;
  kinds.forEach((kind, i) => {
    const [a, b] = [read(left[i]!), read(right[i]!)];
    labels.push(kind === XOR ? xor(a, b) : garbleAnd(key, delta, ands++, a, b).output);
  });
  return labels;
}

interface Needle {
  readonly name: string;
  readonly block: Block;
}

/** Names of the blocks that stand anywhere in `stream`, at whatever offset, in the order of the blocks. */
function found(stream: Uint8Array, needles: readonly Needle[]): string[] {
  // Most places are ruled out by three bytes.
  const possible = new Uint8Array(2 ** 24);
  for (const { block } of needles) possible[block[0]! & 0xff_ffff] = 1;
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const places = new Map<number, number[]>();
  for (let at = 0; at + LABEL <= stream.length; at++) {
    const first = view.getUint32(at, true);
    if (possible[first & 0xff_ffff]) places.set(first, [...(places.get(first) ?? []), at]);
  }
  const standsAt = (at: number, block: Block): boolean => block.every((word, i) => word === view.getUint32(at + 4 * i, true));
  return needles.filter(({ block }) => places.get(block[0]!)?.some((at) => standsAt(at, block))).map(({ name }) => name);
}

describe('what the garbler sends', () => {
  const secrets = secretsOf('search');

  it('holds neither delta nor any label of any wire', () => {
    const { tables, outputs } = garbleAll(kernel, secrets);
    const projection = projectGarbler(kernel, {
      projectionKey: SecretBytes.copy(secrets.projectionKey),
      delta: SecretBytes.copy(secrets.delta),
      zeroLabels: SecretBytes.copy(outputs),
      weights: bitWeights(3, 251),
      firstIndex: 3,
    });
    const delta = toWords(secrets.delta);
    const needles = allZeroLabels(secrets)
      .map((label, wire) => [
        { name: `zero-label ${wire}`, block: label },
        { name: `one-label ${wire}`, block: xor(label, delta) },
      ])
      .slice(1)
      .flat();
    needles.push({ name: 'delta', block: delta });
    // The outputs are found among the wires: these are the labels of this garbling.
    expect(found(outputs, needles).length).toBe(251);
    const stream = Buffer.concat([tables, projection.ciphertexts]);
    expect(found(stream, needles)).toEqual([]);
    const planted = Buffer.concat([stream.subarray(0, 100_003), secrets.delta, secrets.zeroLabels.subarray(0, 16), stream]);
    expect(found(planted, needles)).toEqual(['zero-label 1', 'delta']);
  }, 240_000);
});

describe('after use', () => {
  const secrets = secretsOf('wiping');
  afterEach(() => vi.restoreAllMocks());

  /** A kernel, and the memories of its instances. */
  function opened(): { kernel: Kernel; memories: () => Uint8Array[] } {
    const instantiate = vi.spyOn(WebAssembly, 'Instance');
    const compile = vi.spyOn(WebAssembly, 'Module');
    loadKernel();
    const module = compile.mock.results[0]!.value as WebAssembly.Module;
    return {
      kernel: createKernel(module),
      memories: () =>
        instantiate.mock.results.map(({ value }) => {
          const { memory } = (value as WebAssembly.Instance).exports as { memory: WebAssembly.Memory };
          return new Uint8Array(memory.buffer).slice();
        }),
    };
  }

  const projection = (labels: Uint8Array) => ({
    projectionKey: SecretBytes.copy(secrets.projectionKey),
    weights: bitWeights(0, labels.length / LABEL),
    firstIndex: 0,
  });

  it.each<[string, (kernel: Kernel) => unknown]>([
    ['a garbling to the end', (one) => garbleAll(one, secrets)],
    ['an evaluation to the end', (one) => evaluateAll(one, secrets, new Uint8Array(1_720_096))],
    [
      'a garbling broken off',
      (one) => {
        const garbler = garblerOf(one, secrets);
        garbler.nextTables(new Uint8Array(50_000));
        garbler.wipe();
      },
    ],
    [
      'an evaluation broken off',
      (one) => {
        const evaluator = evaluatorOf(one, secrets);
        evaluator.acceptTables(new Uint8Array(32 * 1001).fill(7));
        evaluator.wipe();
      },
    ],
    [
      'a projection by the garbler',
      (one) =>
        projectGarbler(one, {
          ...projection(secrets.zeroLabels),
          delta: SecretBytes.copy(secrets.delta),
          zeroLabels: SecretBytes.copy(secrets.zeroLabels),
        }),
    ],
    [
      'a projection by the evaluator',
      (one) =>
        projectEvaluator(one, {
          ...projection(secrets.zeroLabels),
          labels: SecretBytes.copy(secrets.zeroLabels),
          ciphertexts: new Uint8Array(32 * 256),
        }),
    ],
    ['hashes', (one) => one.hashBlocks(secrets.gateKey, secrets.zeroLabels, 0, 1)],
    [
      'a secret that turns out to be wiped',
      (one) => {
        const delta = SecretBytes.copy(secrets.delta);
        const labels = SecretBytes.copy(secrets.zeroLabels);
        labels.wipe();
        expect(
          codeOf(() =>
            one.garbler({ circuit: 'activation', gateKey: SecretBytes.copy(secrets.gateKey), delta, inputZeroLabels: labels }),
          ),
        ).toBe('secret_wiped');
      },
    ],
  ])('of %s the memory is as it was before', (_, use) => {
    const { kernel: fresh, memories } = opened();
    // What a fresh instance holds, constants included.
    fresh.hashBlocks(new Uint8Array(32), new Uint8Array(0), 0, 1);
    const [before] = memories();
    use(fresh);
    const after = memories();
    expect(after.length).toBe(1);
    expect(Buffer.compare(after[0]!, before!)).toBe(0);
  });

  it('instances are used again, never by two parties at once', () => {
    const { kernel: fresh, memories } = opened();
    for (let round = 0; round < 3; round++) {
      const parties = [garblerOf(fresh, secrets), evaluatorOf(fresh, secrets), garblerOf(fresh, secrets)];
      expect(memories().length).toBe(3);
      for (const party of parties) party.wipe();
      parties[0]!.wipe();
    }
  });
});
