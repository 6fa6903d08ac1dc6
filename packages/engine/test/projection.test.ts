import { blake3 } from '@noble/hashes/blake3.js';
import { SecretBytes, toHex } from '@streaming-yao/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { twin } from '../src/garble/twin.ts';
import { bitWeights, colours, ED25519_ORDER, type Engine, projectEvaluator, projectGarbler } from '../src/index.ts';
import { loadKernel } from '../src/node.ts';
import { littleEndianToNumber, numberToLittleEndian } from '../src/share/modulus.ts';
import { codeOf, tape } from './fixtures.ts';
import { activeLabels, LABEL, reveal } from './garbling.ts';

const kernel = loadKernel();
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const order = numberToLittleEndian(ED25519_ORDER, 32);
const MODULI = [ED25519_ORDER, P256_ORDER, 2n ** 256n - 189n, 2n ** 255n - 19n, 2n ** 130n - 5n, 2n ** 128n + 51n];

interface Wires {
  readonly key: Uint8Array;
  readonly delta: Uint8Array;
  readonly zeroLabels: Uint8Array;
  readonly bits: number[];
}

function wiresOf(name: string, count: number): Wires {
  const random = tape(name);
  const delta = random(16);
  delta[0] = delta[0]! | 1;
  const bits = Array.from(random(count), (byte) => byte & 1);
  return { key: random(32), delta, zeroLabels: random(LABEL * count), bits };
}

function project(engine: Engine, wires: Wires, weights: Uint8Array, modulus: bigint, firstIndex = 3) {
  const common = { projectionKey: SecretBytes.copy(wires.key), weights, firstIndex, modulus };
  const { ciphertexts, share } = projectGarbler(engine, {
    ...common,
    delta: SecretBytes.copy(wires.delta),
    zeroLabels: SecretBytes.copy(wires.zeroLabels),
  });
  const active = activeLabels(wires.zeroLabels, wires.delta, (wire) => wires.bits[wire]!);
  const other = projectEvaluator(engine, { ...common, labels: SecretBytes.own(active), ciphertexts });
  return { ciphertexts, alpha: reveal(share), beta: reveal(other) };
}

describe('projection', () => {
  it('adds up to the weighted bits, for any modulus and weights; kernel and twin agree', () => {
    const shape = fc.record({ modulus: fc.constantFrom(...MODULI), count: fc.integer({ min: 0, max: 40 }), name: fc.string() });
    fc.assert(
      fc.property(shape, ({ modulus, count, name }) => {
        const wires = wiresOf(name, count);
        const random = tape(`weights ${name}`);
        const weights = Array.from({ length: count }, () => littleEndianToNumber(random(32)) % modulus);
        const packed = Uint8Array.from(weights.flatMap((weight) => [...numberToLittleEndian(weight, 32)]));
        const ours = project(kernel, wires, packed, modulus);
        expect(ours).toEqual(project(twin, wires, packed, modulus));
        const sum = littleEndianToNumber(ours.alpha) + littleEndianToNumber(ours.beta);
        const expected = weights.reduce((total, weight, i) => total + weight * BigInt(wires.bits[i]!), 0n);
        expect(sum % modulus).toBe(expected % modulus);
        for (const share of [ours.alpha, ours.beta]) expect(littleEndianToNumber(share) < modulus).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it.each([251, 256, 507, 512, 513, 1300])('of %i wires is the number they spell', (count) => {
    const wires = wiresOf(`many ${count}`, count);
    const { alpha, beta, ciphertexts } = project(kernel, wires, bitWeights(3, count), ED25519_ORDER, 2 ** 32 - count);
    const expected = wires.bits.reduce((total, bit, i) => total + (BigInt(bit) << BigInt(3 + i)), 0n);
    expect((littleEndianToNumber(alpha) + littleEndianToNumber(beta)) % ED25519_ORDER).toBe(expected % ED25519_ORDER);
    expect(ciphertexts.length).toBe(32 * count);
  });

  it('covers extreme numbers: weights 0 and m - 1', () => {
    for (const modulus of MODULI) {
      for (const weight of [0n, 1n, modulus - 1n]) {
        const wires = wiresOf(`extreme ${modulus} ${weight}`, 64);
        const packed = new Uint8Array(64 * 32);
        for (let i = 0; i < 64; i++) packed.set(numberToLittleEndian(weight, 32), 32 * i);
        expect(project(kernel, wires, packed, modulus)).toEqual(project(twin, wires, packed, modulus));
      }
    }
  });

  it('is the formula of its documentation', () => {
    const wires = wiresOf('formula', 1);
    const weight = 12345n;
    const { alpha, ciphertexts } = project(kernel, wires, numberToLittleEndian(weight, 32), ED25519_ORDER, 77);
    const p = wires.zeroLabels[0]! & 1;
    const hash = (value: number): bigint => {
      const label = activeLabels(wires.zeroLabels, wires.delta, () => value);
      return littleEndianToNumber(blake3(label, { key: wires.key, dkLen: 64 * 78 }).subarray(64 * 77));
    };
    const mod = (number: bigint): bigint => ((number % ED25519_ORDER) + ED25519_ORDER) % ED25519_ORDER;
    const expected = mod(BigInt(p) * weight - hash(p));
    expect(littleEndianToNumber(alpha)).toBe(expected);
    expect(littleEndianToNumber(ciphertexts)).toBe(mod(BigInt(1 - p) * weight - expected - hash(1 - p)));
  });

  it('uses every index once: another first index, another stream', () => {
    const wires = wiresOf('indices', 8);
    const at = (index: number) => toHex(project(kernel, wires, bitWeights(0, 8), ED25519_ORDER, index).ciphertexts);
    expect(at(3)).not.toBe(at(256));
  });
});

describe.each([
  ['kernel', kernel],
  ['twin', twin],
])('projection with the %s refuses', (_, engine) => {
  const wires = wiresOf('refused', 4);
  const common = () => ({ projectionKey: SecretBytes.copy(wires.key), weights: bitWeights(3, 4), firstIndex: 3 });
  const garble = (changed: object) =>
    projectGarbler(engine, {
      ...common(),
      delta: SecretBytes.copy(wires.delta),
      zeroLabels: SecretBytes.copy(wires.zeroLabels),
      ...changed,
    });
  const evaluate = (changed: object) =>
    projectEvaluator(engine, {
      ...common(),
      labels: SecretBytes.copy(wires.zeroLabels),
      ciphertexts: new Uint8Array(128),
      ...changed,
    });

  it.each<[string, string, object]>([
    ['an even modulus', 'invalid_request', { modulus: 2n ** 255n }],
    ['a small modulus', 'invalid_request', { modulus: 2n ** 127n - 1n }],
    ['a large modulus', 'invalid_request', { modulus: 2n ** 256n + 297n }],
    ['a short key', 'invalid_length', { projectionKey: SecretBytes.own(new Uint8Array(31)) }],
    ['a weight too few', 'invalid_length', { weights: bitWeights(3, 3) }],
    ['a weight that is not reduced', 'invalid_scalar', { weights: new Uint8Array(128).fill(0xff) }],
    ['the modulus as a weight', 'invalid_scalar', { weights: Uint8Array.from([...order, ...bitWeights(3, 3)]) }],
    ['a negative index', 'invalid_request', { firstIndex: -1 }],
    ['a broken index', 'invalid_request', { firstIndex: 0.5 }],
    ['an index beyond 32 bits', 'invalid_request', { firstIndex: 2 ** 32 - 3 }],
  ])('%s', (__, code, changed) => {
    expect(codeOf(() => garble(changed))).toBe(code);
    expect(codeOf(() => evaluate(changed))).toBe(code);
  });

  it('a delta without its lowest bit, broken labels, ciphertexts that are not reduced or too few', () => {
    expect(codeOf(() => garble({ delta: SecretBytes.own(wires.delta.with(0, 2)) }))).toBe('invalid_request');
    expect(codeOf(() => garble({ zeroLabels: SecretBytes.own(new Uint8Array(63)) }))).toBe('invalid_length');
    expect(codeOf(() => evaluate({ labels: SecretBytes.own(new Uint8Array(65)) }))).toBe('invalid_length');
    const reduced = numberToLittleEndian(ED25519_ORDER - 1n, 32);
    const four = (last: Uint8Array) => Uint8Array.from([...reduced, ...reduced, ...reduced, ...last]);
    expect(codeOf(() => evaluate({ ciphertexts: four(reduced) }))).toBe('no error');
    for (const ciphertexts of [four(order), four(new Uint8Array(32).fill(0xff)), four(reduced).subarray(0, 96)]) {
      expect(codeOf(() => evaluate({ ciphertexts }))).toBe('frame_invalid');
    }
  });
});

describe('colours', () => {
  it('are the lowest bits, packed in wire order', () => {
    const labels = new Uint8Array(LABEL * 11);
    [0, 3, 8, 9].forEach((wire) => {
      labels[LABEL * wire] = 0xff;
    });
    labels[LABEL * 5 + 1] = 0xff;
    labels[LABEL * 6] = 0xfe;
    expect(reveal(colours(SecretBytes.own(labels)))).toEqual(Uint8Array.of(0b0000_1001, 0b011));
  });

  it('of zero-labels and active labels are shares of the bits by XOR', () => {
    const { zeroLabels, delta, bits } = wiresOf('colours', 256);
    const p = reveal(colours(SecretBytes.copy(zeroLabels)));
    const c = reveal(colours(SecretBytes.own(activeLabels(zeroLabels, delta, (wire) => bits[wire]!))));
    bits.forEach((bit, i) => {
      expect(((p[i >> 3]! ^ c[i >> 3]!) >> (i & 7)) & 1).toBe(bit);
    });
  });
});

describe('weights', () => {
  it('are powers of two modulo the order', () => {
    const weights = bitWeights(250, 8);
    for (let i = 0; i < 8; i++) {
      expect(littleEndianToNumber(weights.subarray(32 * i, 32 * i + 32))).toBe(2n ** BigInt(250 + i) % ED25519_ORDER);
    }
    expect(codeOf(() => bitWeights(0, 1, 15n))).toBe('invalid_request');
  });
});
