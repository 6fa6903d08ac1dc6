import { concatBytes, toBase64Url, toHex, utf8 } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { Haystack } from '../src/needles.ts';
import { Tape } from '../src/tape.ts';

const tape = new Tape('needles');
const secret = tape.bytes(32);
const haystack = new Haystack([{ name: 'it', bytes: secret }]);
const noise = tape.bytes(3000);

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const forms: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[] = [
  ['raw', (bytes) => bytes],
  ['hex', (bytes) => utf8(toHex(bytes))],
  ['upper-case hex', (bytes) => utf8(toHex(bytes).toUpperCase())],
  ['base64', (bytes) => utf8(base64(bytes))],
  ['base64url', (bytes) => utf8(toBase64Url(bytes))],
  ['base64url inside something longer', (bytes) => utf8(toBase64Url(concatBytes(Uint8Array.of(1), bytes, Uint8Array.of(2, 3))))],
  ['base64 inside something longer', (bytes) => utf8(base64(concatBytes(Uint8Array.of(1, 2), bytes, Uint8Array.of(3))))],
  ['JSON', (bytes) => utf8(JSON.stringify({ a: { b: toBase64Url(bytes) } }))],
];

describe('finds a secret', () => {
  test.each(forms)('as %s, in both byte orders, at every place', (_, form) => {
    for (let place = 0; place < 60; place++) {
      const [before, after] = [noise.subarray(0, place), noise.subarray(place, place + 70)];
      expect(haystack.find(concatBytes(before, form(secret), after))).toMatch(/^it/);
      expect(haystack.find(concatBytes(before, form(secret.toReversed()), after))).toMatch(/^it, reversed/);
    }
  });
});

test('finds nothing where there is nothing, and nothing of which a byte is missing', () => {
  expect(haystack.find(noise)).toBeUndefined();
  expect(haystack.find(concatBytes(noise, secret.subarray(1)))).toBeUndefined();
  expect(haystack.find(concatBytes(secret.subarray(0, 31), noise))).toBeUndefined();
  expect(haystack.find(new Uint8Array(0))).toBeUndefined();
});

test('refuses to look for what is too short to be found', () => {
  expect(() => new Haystack([{ name: 'short', bytes: secret.subarray(0, 16) }])).toThrow(/too short/);
});
