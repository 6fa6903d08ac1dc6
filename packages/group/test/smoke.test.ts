import { SecretBytes } from '@streaming-yao/core';
import { expect, it } from 'vitest';
import { loadGroup } from '../src/node.ts';

it('adds commitments as it adds scalars', () => {
  const group = loadGroup();
  const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
  const a = group.randomScalar(random);
  const b = group.randomScalar(random);
  expect(group.sumOfPoints([group.baseMultiply(a), group.baseMultiply(b)])).toEqual(group.baseMultiply(group.addScalars(a, b)));
  expect(() => group.baseMultiply(SecretBytes.own(new Uint8Array(32).fill(255)))).toThrow('group order');
});
