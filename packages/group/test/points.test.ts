import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { fromHex, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import type { Point } from '../src/group.ts';
import { loadGroup } from '../src/node.ts';
import { bytesOf, random, secretOf } from './fixtures.ts';
import { nobleGroup } from './noble-group.ts';

const group = loadGroup();
const refused = expect.objectContaining({ code: 'invalid_point' });
const { BASE, ZERO } = ed25519.Point;
const TORSION = ED25519_TORSION_SUBGROUP.map((hex) => ed25519.Point.fromHex(hex, true));
const P = 2n ** 255n - 19n;

function accepts(bytes: Uint8Array): boolean {
  try {
    return toHex(group.decodePoint(bytes).encoded) === toHex(bytes);
  } catch (error) {
    expect(error).toEqual(refused);
    return false;
  }
}

describe('decoding', () => {
  it('takes points of prime order, and none of their sums with torsion', () => {
    let point = BASE.multiply(1n + BigInt((random(1)[0] as number) + 2));
    for (let i = 0; i < 250; i++) {
      point = point.double().add(BASE);
      for (const torsion of TORSION) expect(accepts(point.add(torsion).toBytes())).toBe(torsion.is0());
    }
  });

  it.each(ED25519_TORSION_SUBGROUP)('refuses the torsion point %s', (hex) => {
    expect(accepts(fromHex(hex))).toBe(false);
  });

  it('refuses every second spelling: y from p on, and a sign on x = 0', () => {
    for (let y = P; y < 2n ** 255n; y++) {
      for (const sign of [0n, 2n ** 255n]) expect(accepts(bytesOf(y | sign))).toBe(false);
    }
    for (const y of [1n, P - 1n]) expect(accepts(bytesOf(y | (2n ** 255n)))).toBe(false);
  });

  it.each([0, 31, 33])('refuses %i bytes', (length) => {
    expect(accepts(new Uint8Array(length).fill(9))).toBe(false);
  });

  it('judges random bytes as the oracle does', () => {
    const verdicts = { accepted: 0, refused: 0 };
    for (let i = 0; i < 300; i++) {
      // One eighth of all points is of prime order: small multiples make both verdicts frequent.
      const bytes = i % 4 ? random(32) : BASE.multiply(BigInt(i + 1)).toBytes();
      const accepted = accepts(bytes);
      let expected = true;
      try {
        nobleGroup.decodePoint(bytes);
      } catch {
        expected = false;
      }
      expect([toHex(bytes), accepted]).toEqual([toHex(bytes), expected]);
      verdicts[accepted ? 'accepted' : 'refused']++;
    }
    expect(verdicts.accepted).toBeGreaterThan(75);
    expect(verdicts.refused).toBeGreaterThan(150);
  });
});

describe('sums', () => {
  it('of commitments commit to the sum', () => {
    const scalars = [3n, 5n, 2n ** 200n, 7n];
    const points = scalars.map((scalar) => group.baseMultiply(secretOf(scalar)));
    const expected = BASE.multiply(scalars.reduce((sum, scalar) => sum + scalar)).toBytes();
    expect(group.sumOfPoints(points).encoded).toEqual(expected);
    const [first, second, ...rest] = points.map((bytes) => group.decodePoint(bytes)) as [Point, Point, ...Point[]];
    const both = group.sumOfPoints([first, second]);
    expect(group.sumOfPoints([both, ...rest]).encoded).toEqual(expected);
    expect(group.sumOfPoints([both, ...points.slice(2)]).encoded).toEqual(expected);
    expect(group.sumOfPoints([]).encoded).toEqual(ZERO.toBytes());
    expect(group.sumOfPoints([BASE.toBytes(), BASE.negate().toBytes()]).encoded).toEqual(ZERO.toBytes());
    expect(group.sumOfPoints([BASE.toBytes(), BASE.toBytes()]).encoded).toEqual(BASE.double().toBytes());
  });

  it.each([0, 1, 2])('with a bad point in place %i are refused', (place) => {
    const points = [BASE, BASE.double(), BASE].map((point) => point.toBytes());
    points[place] = BASE.add(TORSION[3] as typeof BASE).toBytes();
    expect(() => group.sumOfPoints(points)).toThrow(refused);
    points[place] = ZERO.toBytes();
    expect(() => group.sumOfPoints(points)).toThrow(refused);
  });
});

describe('points', () => {
  it('that no group made are refused', () => {
    const forged: Point = { encoded: BASE.toBytes() };
    expect(() => group.multiply(secretOf(2n), forged)).toThrow(refused);
    expect(() => group.combine(1n, [{ factor: 2n, point: forged }])).toThrow(refused);
    expect(() => group.vanishes(1n, [{ factor: 1n, point: forged }])).toThrow(refused);
    expect(() => group.sumOfPoints([forged])).toThrow(refused);
  });

  it('keep no trace of the scalar in their coordinates', () => {
    const committed = group.commit(secretOf(123_456_789n));
    expect(group.decodePoint(committed.encoded)).toEqual(committed);
  });

  it('of one instance serve another, and do not follow the bytes they came from', () => {
    const bytes = BASE.multiply(77n).toBytes();
    const point = group.decodePoint(bytes);
    bytes.fill(0);
    expect(loadGroup().multiply(secretOf(2n), point)).toEqual(BASE.multiply(154n).toBytes());
    expect(point.encoded).toEqual(BASE.multiply(77n).toBytes());
  });
});
