import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { equalBytes, SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import type { Point } from '../src/group.ts';
import { loadGroup } from '../src/node.ts';
import { decodeScalar, decodeWideScalar, encodeScalar, invertScalar, L, modL } from '../src/scalar.ts';
import { bytesOf, EDGES, random, secretOf } from './fixtures.ts';
import { nobleGroup } from './noble-group.ts';

const group = loadGroup();
const ROUNDS = 10_000;
const randomScalar = (): bigint => decodeWideScalar(random(64));
const hexOf = (secret: SecretBytes): string => secret.use(toHex);
const { BASE, ZERO } = ed25519.Point;
const multipleOfBase = (scalar: bigint): Uint8Array => (scalar === 0n ? ZERO : BASE.multiply(scalar)).toBytes();

interface Known {
  readonly logarithm: bigint;
  readonly inverse: bigint;
  readonly point: Point;
}

function committed(logarithm: bigint): Known {
  return { logarithm, inverse: invertScalar(logarithm), point: group.commit(secretOf(logarithm)) };
}

/** scalar * G as the sum of a multiple of G and one of a fixed point. */
function fixedSum(scalar: bigint, { logarithm, point }: Known): Uint8Array {
  const factor = randomScalar();
  return group.combine(modL(scalar - factor * logarithm), [{ factor, point: group.fix(point) }]).encoded;
}

/** scalar * G twice, the second made next to another. */
function twoCommitments(scalar: bigint): Uint8Array[] {
  const other = secretOf(randomScalar());
  const [first] = group.commitTwo(secretOf(scalar), other);
  const [, second] = group.commitTwo(other, secretOf(scalar));
  return [first.encoded, second.encoded];
}

describe('against @noble/curves', () => {
  it(`multiplies and combines to the same point, the edges and ${ROUNDS} random times`, () => {
    const scalars = [...EDGES, ...Array.from({ length: ROUNDS }, randomScalar)];
    const known = Array.from({ length: 64 }, () => committed(randomScalar() || 1n));
    const wrong: bigint[] = [];
    for (const [i, scalar] of scalars.entries()) {
      const expected = multipleOfBase(scalar);
      const [first, second] = [known[i % 64], known[(i + 1) % 64]] as [Known, Known];
      const factors = [randomScalar(), randomScalar()] as const;
      const found = [
        group.baseMultiply(secretOf(scalar)),
        group.multiply(secretOf(modL(scalar * first.inverse)), first.point),
        group.combine(modL(scalar - factors[0] * first.logarithm - factors[1] * second.logarithm), [
          { factor: factors[0], point: first.point },
          { factor: factors[1], point: second.point },
        ]).encoded,
        ...(i % 20 ? [] : [fixedSum(scalar, first), ...twoCommitments(scalar)]),
      ];
      if (!found.every((bytes) => equalBytes(bytes, expected))) wrong.push(scalar);
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  it('multiplies other points by every edge', () => {
    for (const edge of EDGES) {
      const logarithm = randomScalar();
      const point = group.decodePoint(multipleOfBase(logarithm));
      const expected = toHex(multipleOfBase(modL(edge * logarithm)));
      expect(toHex(group.multiply(secretOf(edge), point))).toBe(expected);
      for (const each of [point, group.fix(point)]) {
        expect(toHex(group.combine(0n, [{ factor: edge, point: each }]).encoded)).toBe(expected);
      }
      expect(toHex(group.combine(edge, []).encoded)).toBe(toHex(multipleOfBase(edge)));
    }
  });

  it('multiplies points of unknown logarithm', () => {
    for (let i = 0; i < 100; i++) {
      const encoded = BASE.multiply(randomScalar() || 1n).toBytes();
      const scalar = secretOf(randomScalar());
      expect(group.multiply(scalar, group.decodePoint(encoded))).toEqual(
        nobleGroup.multiply(scalar, nobleGroup.decodePoint(encoded)),
      );
    }
  });

  it.each([0, 1, 7, 8, 9, 17])('combines %i terms at once', (count) => {
    const logarithms = Array.from({ length: count }, randomScalar);
    const terms = logarithms.map((logarithm) => ({
      factor: randomScalar(),
      point: group.decodePoint(multipleOfBase(logarithm)),
    }));
    const sum = modL(terms.reduce((total, { factor }, t) => total + factor * (logarithms[t] as bigint), 5n));
    expect(group.combine(5n, terms).encoded).toEqual(multipleOfBase(sum));
    expect(group.vanishes(modL(5n - sum), terms)).toBe(true);
    expect(group.vanishes(modL(6n - sum), terms)).toBe(false);
  });

  it(`calculates with scalars mod L, ${ROUNDS} times`, () => {
    const scalars = [...EDGES, ...Array.from({ length: ROUNDS }, randomScalar)];
    scalars.forEach((left, i) => {
      const right = scalars[(i * 7 + 3) % scalars.length] as bigint;
      const [a, b] = [secretOf(left), secretOf(right)];
      const expected = [left + right, left - right, left * right, left * right + left, left * ((L + 1n) / 2n)];
      const found = [
        group.addScalars(a, b),
        group.subtractScalars(a, b),
        group.multiplyScalars(a, b),
        group.multiplyAdd(left, b, a),
        group.halveScalar(a),
      ];
      expect(found.map(hexOf)).toEqual(expected.map((value) => toHex(encodeScalar(modL(value)))));
    });
  });

  it(`reduces wide integers mod L, ${ROUNDS} times`, () => {
    const wide = Array.from({ length: ROUNDS }, () => random(64));
    const edges = [0n, 1n, L - 1n, L, L + 1n, 2n * L, 15n * L, 2n ** 255n - 19n, 2n ** 256n - 1n].map(bytesOf);
    const long = [L * L - 1n, L * L, L * 2n ** 256n, 2n ** 511n, 2n ** 512n - 1n].map((value) =>
      Uint8Array.from({ length: 64 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn)),
    );
    for (const bytes of [new Uint8Array(0), random(1), random(33), random(63), ...edges, ...long, ...wide]) {
      expect(hexOf(group.reduceScalar(SecretBytes.copy(bytes)))).toBe(toHex(encodeScalar(decodeWideScalar(bytes))));
    }
  });
});

describe('keys of RFC 8032', () => {
  it('are the clamped scalar mod L times G, for 1,000 random seeds', () => {
    for (let i = 0; i < 1_000; i++) {
      const seed = random(32);
      const scalar = sha512(seed).subarray(0, 32);
      scalar[0] = (scalar[0] as number) & 248;
      scalar[31] = ((scalar[31] as number) & 63) | 64;
      const publicKey = group.baseMultiply(group.reduceScalar(SecretBytes.copy(scalar)));
      expect(toHex(publicKey)).toBe(toHex(ed25519.getPublicKey(seed)));
    }
  });
});

describe('scalars', () => {
  it.each([L, L + 1n, 2n * L, 2n ** 253n, 2n ** 255n - 1n, 2n ** 256n - 1n])('%i is refused everywhere', (value) => {
    const refused = expect.objectContaining({ code: 'invalid_scalar' });
    const [bad, good] = [SecretBytes.own(bytesOf(value)), secretOf(3n)];
    const point = group.decodePoint(BASE.toBytes());
    for (const use of [
      () => group.baseMultiply(bad),
      () => group.commit(bad),
      () => group.multiply(bad, point),
      () => group.addScalars(bad, good),
      () => group.addScalars(good, bad),
      () => group.subtractScalars(good, bad),
      () => group.multiplyScalars(bad, good),
      () => group.multiplyAdd(1n, bad, good),
      () => group.multiplyAdd(value, good, good),
      () => group.halveScalar(bad),
      () => group.combine(value, []),
      () => group.combine(1n, [{ factor: value, point }]),
      () => decodeScalar(bytesOf(value)),
      () => encodeScalar(value),
    ]) {
      expect(use).toThrow(refused);
    }
  });

  it.each([0, 31, 33, 64])('of %i bytes are refused', (length) => {
    const refused = expect.objectContaining({ code: 'invalid_scalar' });
    expect(() => group.baseMultiply(SecretBytes.own(new Uint8Array(length)))).toThrow(refused);
    expect(() => decodeScalar(new Uint8Array(length))).toThrow(refused);
  });

  it('wider than 64 bytes are not reduced', () => {
    expect(() => group.reduceScalar(SecretBytes.own(new Uint8Array(65)))).toThrow(
      expect.objectContaining({ code: 'invalid_scalar' }),
    );
  });

  it('are drawn from 64 bytes, which are wiped', () => {
    const given: Uint8Array[] = [];
    const scalar = group.randomScalar((length) => {
      given.push(random(length).fill(9));
      return given.at(-1) as Uint8Array;
    });
    expect(hexOf(scalar)).toBe(toHex(encodeScalar(decodeWideScalar(new Uint8Array(64).fill(9)))));
    expect(given).toEqual([new Uint8Array(64)]);
  });

  it('have inverses, zero has none', () => {
    for (const scalar of [1n, 2n, L - 1n, randomScalar()]) expect(modL(scalar * invertScalar(scalar))).toBe(1n);
    expect(() => invertScalar(L)).toThrow(expect.objectContaining({ code: 'invalid_scalar' }));
  });
});
