import { createHash, randomBytes } from 'node:crypto';
import { fromHex, toHex } from '@streaming-yao/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import { CircuitBuilder } from '../src/circuit/builder.ts';
import { activationCircuit, CIRCUITS, exportCircuit, FREE_BITS } from '../src/circuit/ceremony-circuits.ts';
import { type Circuit, circuitFigures, circuitId, encodeCircuit, FALSE, TRUE } from '../src/circuit/circuit.ts';
import { ColumnSum, constantWord, type Word } from '../src/circuit/column-sum.ts';
import { evaluatePacked } from '../src/circuit/evaluate.ts';
import { sha512FirstHalf } from '../src/circuit/sha512.ts';
import { initialHash, roundConstants } from '../src/circuit/sha512-constants.ts';
import { codeOf } from './fixtures.ts';
import { bitOf } from './garbling.ts';

function sha512Circuit(): Circuit {
  const builder = new CircuitBuilder();
  return builder.finish(sha512FirstHalf(builder, builder.input(256)));
}

const halfDigest = (seed: Uint8Array): string => createHash('sha512').update(seed).digest('hex').slice(0, 64);

// NIST CAVP, SHA512ShortMsg, Len = 256.
const CAVP = {
  message: '8ccb08d2a1a282aa8cc99902ecaf0f67a9f21cffe28005cb27fcf129e963f99d',
  digest:
    '4551def2f9127386eea8d4dae1ea8d8e49b2add0509f27ccbce7d9e950ac7db0' +
    '1d5bca579c271b9f2d806730d88f58252fd0c2587851c3ac8a0e72b4e1dc0da6',
};

describe('the SHA-512 circuit', () => {
  const circuit = sha512Circuit();

  it('gives the first half of published digests', () => {
    expect(toHex(evaluatePacked(circuit, [fromHex(CAVP.message)])[0]!)).toBe(CAVP.digest.slice(0, 64));
  });

  it('agrees with SHA-512 on RFC 8032 keys, all-zero, all-one, single bits and 1,000 random seeds', () => {
    const seeds = [
      ...rfc8032.cases.map(({ secretKey }) => fromHex(secretKey)),
      new Uint8Array(32),
      new Uint8Array(32).fill(255),
      ...Array.from({ length: 256 }, (_, i) => Uint8Array.from({ length: 32 }, (_, k) => (k === i >> 3 ? 1 << (i & 7) : 0))),
      ...Array.from({ length: 1000 }, () => new Uint8Array(randomBytes(32))),
    ];
    expect(evaluatePacked(circuit, seeds).map((digest) => toHex(digest))).toEqual(seeds.map(halfDigest));
  });

  it('has no two equal gates and no gate without use', () => {
    const { kinds, left, right, outputs } = circuit;
    const gates = new Set<string>();
    const used = new Set(outputs.map((literal) => literal >> 1));
    kinds.forEach((kind, i) => {
      gates.add(`${kind} ${[left[i]!, right[i]!].sort((a, b) => a - b).join(' ')}`);
      used.add(left[i]! >> 1);
      used.add(right[i]! >> 1);
    });
    expect(gates.size).toBe(kinds.length);
    kinds.forEach((_, i) => {
      if (!used.has(257 + i)) throw new Error(`gate ${i} has no use`);
    });
  });

  it('rests on the constants of FIPS 180-4', () => {
    expect(roundConstants()[0]!.toString(16)).toBe('428a2f98d728ae22');
    expect(roundConstants()[79]!.toString(16)).toBe('6c44198c4a475817');
    expect(initialHash()[0]!.toString(16)).toBe('6a09e667f3bcc908');
    expect(initialHash()[7]!.toString(16)).toBe('5be0cd19137e2179');
  });
});

describe('the circuits of the ceremonies', () => {
  const circuits = { activation: activationCircuit(), export: exportCircuit() };

  it.each(['activation', 'export'] as const)('%s is what both roles agree on', (name) => {
    const circuit = circuits[name];
    const facts = CIRCUITS[name];
    expect(toHex(circuitId(circuit))).toBe(toHex(facts.id));
    expect(circuit.inputSizes).toEqual([facts.inputs]);
    expect(circuit.outputSizes).toEqual([facts.outputs]);
    const { and, tableBytes } = circuitFigures(circuit);
    expect({ and, tableBytes }).toEqual({ and: facts.and, tableBytes: facts.tableBytes });
  });

  it('activation costs exactly this', () => {
    expect(circuitFigures(circuits.activation)).toEqual({ and: 53_753, xor: 218_077, depth: 3_301, tableBytes: 1_720_096 });
    expect(toHex(CIRCUITS.activation.id)).toBe('a25812904ab6fa5834f1b065b072c8f9a9556b7f15ed8f7ebbaa0d97a34e3e47');
  });

  it('export costs nothing', () => {
    expect(circuitFigures(circuits.export)).toEqual({ and: 0, xor: 0, depth: 0, tableBytes: 0 });
    expect(toHex(CIRCUITS.export.id)).toBe('46e6cc4570fa94f0c237af7c46614e1ea9b6cea52214e3044c33874affc58327');
  });

  it('activation gives digest bits 3 to 253, export the seed', () => {
    const seed = new Uint8Array(randomBytes(32));
    const digest = fromHex(halfDigest(seed));
    const bits = evaluatePacked(circuits.activation, [seed])[0]!;
    for (let i = FREE_BITS.first; i < FREE_BITS.end; i++) expect(bitOf(bits, i - FREE_BITS.first)).toBe(bitOf(digest, i));
    expect(evaluatePacked(circuits.export, [seed])).toEqual([seed]);
  });

  it('any change of a gate changes the id', () => {
    const { left } = circuits.activation;
    const changed = { ...circuits.activation, left: left.with(1000, left[1000]! ^ 1) };
    expect(toHex(circuitId(changed))).not.toBe(toHex(CIRCUITS.activation.id));
    expect(encodeCircuit(changed).length).toBe(encodeCircuit(circuits.activation).length);
  });
});

describe('the builder', () => {
  it('folds constants, repetitions and opposites', () => {
    const builder = new CircuitBuilder();
    const [a, b] = builder.input(2) as [number, number];
    const not = builder.not(a);
    expect([builder.and(a, FALSE), builder.and(TRUE, b), builder.and(a, a), builder.and(a, not)]).toEqual([FALSE, b, a, FALSE]);
    expect([builder.and(FALSE, a), builder.and(b, TRUE)]).toEqual([FALSE, b]);
    expect([builder.xor(a, FALSE), builder.xor(TRUE, a), builder.xor(a, a), builder.xor(a, not)]).toEqual([a, not, FALSE, TRUE]);
    expect(builder.xor(not, b)).toBe(builder.not(builder.xor(b, a)));
    expect(builder.and(a, b)).toBe(builder.and(b, a));
    expect(builder.and(not, b)).not.toBe(builder.and(a, b));
    expect(circuitFigures(builder.finish([builder.and(a, b)]))).toEqual({ and: 1, xor: 0, depth: 1, tableBytes: 32 });
  });

  it('refuses inputs after gates and sizes that do not add up', () => {
    const builder = new CircuitBuilder();
    const [a, b] = builder.input(2) as [number, number];
    builder.and(a, b);
    expect(codeOf(() => builder.input(1))).toBe('circuit_invalid');
    expect(codeOf(() => builder.finish([a], [2]))).toBe('circuit_invalid');
  });

  it('evaluates in the clear only with all inputs', () => {
    expect(codeOf(() => evaluatePacked(exportCircuit(), []))).toBe('no error');
    const builder = new CircuitBuilder();
    const circuit = builder.finish(builder.input(9));
    expect(evaluatePacked(circuit, [Uint8Array.of(0xa5, 0xff)])).toEqual([Uint8Array.of(0xa5, 1)]);
  });
});

describe('sums by column', () => {
  const words = fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { minLength: 1, maxLength: 6 });
  const parts = fc.record({ secret: words, constants: fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { maxLength: 3 }) });

  it('are sums modulo 2^64, at one AND for two bits of a column', () => {
    fc.assert(
      fc.property(parts, fc.bigInt(0n, 2n ** 64n - 1n), ({ secret, constants }, constant) => {
        const builder = new CircuitBuilder();
        const inputs: Word[] = secret.map(() => builder.input(64));
        const sum = new ColumnSum(builder, [...constants.map(constantWord), ...inputs], constant);
        for (let i = 0; i < 64; i++) sum.column();
        const circuit = builder.finish(sum.bits);
        const bytes = new Uint8Array(8 * secret.length);
        const view = new DataView(bytes.buffer);
        secret.forEach((word, i) => {
          view.setBigUint64(8 * i, word, true);
        });
        const result = new DataView(evaluatePacked(circuit, [bytes])[0]!.buffer).getBigUint64(0, true);
        const expected = [...secret, ...constants, constant].reduce((total, word) => total + word, 0n);
        expect(result).toBe(BigInt.asUintN(64, expected));
        expect(circuitFigures(circuit).and).toBeLessThanOrEqual(63 * secret.length);
      }),
      { numRuns: 60 },
    );
  });
});
