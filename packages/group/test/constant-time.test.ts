import { SecretBytes } from '@streaming-yao/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { secretDependence } from '../../../tools/wasm-taint.ts';
import type { Group } from '../src/group.ts';
import { decodeWideScalar, L } from '../src/scalar.ts';
import { createGroup } from '../src/wasm-group.ts';
import { random, secretOf, wasm } from './fixtures.ts';

/** Exports that see secret scalars, or points before their Z coordinate is gone. */
const SECRET = [
  'scalarIsCanonical',
  'scalarMultiplyAdd',
  'scalarReduce',
  'baseMultiply',
  'multiplyPoint',
  'encode',
  'encodeTwo',
  'encodeMontgomery',
  'sha512Absorb',
  'sha512Finish',
  'wipe',
];

describe('group.wasm', () => {
  it('lets no secret decide a branch, a select, an address or a length', () => {
    expect(secretDependence(wasm(), { exports: SECRET, source: 'every load' })).toEqual([]);
  });

  it('would be caught if it did: sums of public multiples do', () => {
    const kinds = secretDependence(wasm(), { exports: ['combine'], source: 'every load' }).map(({ kind }) => kind);
    expect(kinds).toContain('branch');
    expect(kinds).toContain('address');
  });
});

describe('after use', () => {
  afterEach(() => vi.restoreAllMocks());

  /** A group, and its memory. */
  function opened(): { group: Group; memory: () => Uint8Array } {
    const instantiate = vi.spyOn(WebAssembly, 'Instance');
    const group = createGroup(new WebAssembly.Module(wasm()));
    const instance = instantiate.mock.results[0]?.value as WebAssembly.Instance;
    const memory = instance.exports.memory as WebAssembly.Memory;
    return { group, memory: () => new Uint8Array(memory.buffer).slice() };
  }

  const point = (group: Group) => group.decodePoint(group.baseMultiply(secretOf(99n)));
  const scalar = (): SecretBytes => secretOf(decodeWideScalar(random(64)) || 1n);
  const tooLarge = (): SecretBytes => SecretBytes.own(Uint8Array.from(random(32), (byte, i) => (i === 31 ? 0xff : byte)));

  it.each<[string, (group: Group) => unknown]>([
    ['baseMultiply', (group) => group.baseMultiply(scalar())],
    ['commitTwo', (group) => group.commitTwo(scalar(), scalar())],
    ['multiply', (group) => group.multiply(scalar(), point(group))],
    ['addScalars', (group) => group.addScalars(scalar(), scalar())],
    ['multiplyScalars', (group) => group.multiplyScalars(scalar(), scalar())],
    ['multiplyAdd', (group) => group.multiplyAdd(L - 5n, scalar(), scalar())],
    ['ed25519PublicKey', (group) => group.ed25519PublicKey(SecretBytes.own(random(32)))],
    ['signEd25519', (group) => group.signEd25519(SecretBytes.own(random(32)), random(100))],
    ['x25519PublicKey', (group) => group.x25519PublicKey(SecretBytes.own(random(32)))],
    ['sha512', (group) => group.sha512(random(9_000), random(40))],
    ['reduceScalar', (group) => group.reduceScalar(SecretBytes.own(random(64)))],
    ['a refused scalar', (group) => expect(() => group.baseMultiply(tooLarge())).toThrow()],
    [
      'a wiped secret',
      (group) => {
        const wiped = scalar();
        wiped.wipe();
        expect(() => group.addScalars(scalar(), wiped)).toThrow();
      },
    ],
  ])('of %s the memory is as it was before', (_, use) => {
    const { group, memory } = opened();
    group.baseMultiply(secretOf(1n));
    const before = memory();
    use(group);
    expect(memory()).toEqual(before);
  });
});
