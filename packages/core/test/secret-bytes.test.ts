import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { SecretBytes } from '../src/index.ts';

const hex = /0d|0x0d|13,|DQ/;

test('is readable inside a callback, and gone after wiping', () => {
  const bytes = Uint8Array.of(13, 13, 13);
  const secret = SecretBytes.own(bytes);
  expect(secret.use((lent) => lent.reduce((sum, byte) => sum + byte, 0))).toBe(39);
  secret.wipe();
  expect(bytes).toEqual(new Uint8Array(3));
  expect(secret.wiped).toBe(true);
  expect(() => secret.use(() => 0)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  expect(() => secret.wipe()).not.toThrow();
});

test('a copy leaves the caller’s bytes alone', () => {
  const bytes = Uint8Array.of(13, 13, 13);
  SecretBytes.copy(bytes).wipe();
  expect(bytes).toEqual(Uint8Array.of(13, 13, 13));
});

test('is never printed and never serialised', () => {
  const secret = SecretBytes.own(Uint8Array.of(13, 13, 13));
  for (const printed of [String(secret), `${secret}`, inspect(secret), inspect({ secret }, { showHidden: true })]) {
    expect(printed).toContain('[SecretBytes]');
    expect(printed).not.toMatch(hex);
  }
  expect(() => JSON.stringify({ secret })).toThrow(expect.objectContaining({ code: 'internal' }));
  expect(Object.keys(secret)).toEqual(['length']);
});

test('using wipes at the end of the block, also when it throws', () => {
  const secret = SecretBytes.own(Uint8Array.of(1));
  expect(() => {
    using kept = secret;
    throw new Error(`at length ${kept.length}`);
  }).toThrow('at length 1');
  expect(secret.wiped).toBe(true);
});
