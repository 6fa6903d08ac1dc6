import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, fromHex, toBase64Url } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import speccheck from '../../../vectors/ed25519-speccheck.json' with { type: 'json' };
import wycheproof from '../../../vectors/ed25519-wycheproof.json' with { type: 'json' };
import { loadGroup } from '../src/node.ts';
import { L, littleEndian } from '../src/scalar.ts';
import { bytesOf, random, secretOf } from './fixtures.ts';
import { nobleGroup } from './noble-group.ts';

const group = loadGroup();

describe.each(rfc8032.cases)('RFC 8032 $name', ({ publicKey, message, signature }) => {
  const [key, signed, good] = [publicKey, message, signature].map(fromHex) as [Uint8Array, Uint8Array, Uint8Array];

  it('verifies, and with any byte changed does not', () => {
    expect(group.verifyEd25519(key, signed, good)).toBe(true);
    const point = group.decodePoint(key);
    const keys = [point, group.fix(point)];
    for (const each of keys) expect(group.verifyEd25519(each, signed, good)).toBe(true);
    const flip = (bytes: Uint8Array, place: number) => bytes.map((byte, i) => (i === place ? byte ^ 0x10 : byte));
    for (let i = 0; i < 64; i++) {
      for (const each of [key, ...keys]) expect(group.verifyEd25519(each, signed, flip(good, i))).toBe(false);
    }
    for (let i = 0; i < 32; i++) expect(group.verifyEd25519(flip(key, i), signed, good)).toBe(false);
    expect(group.verifyEd25519(key, concatBytes(signed, Uint8Array.of(0)), good)).toBe(false);
  });

  it('does not verify with S + L', () => {
    const above = concatBytes(good.subarray(0, 32), bytesOf(littleEndian(good.subarray(32)) + L));
    expect(group.verifyEd25519(key, signed, above)).toBe(false);
  });

  it.each([0, 32, 63, 65])('does not verify %i bytes of signature', (length) => {
    expect(
      group.verifyEd25519(
        key,
        signed,
        Uint8Array.from({ length }, (_, i) => good[i] ?? 0),
      ),
    ).toBe(false);
  });
});

describe('ed25519-speccheck', () => {
  it.each(speccheck.cases.map((each, number) => ({ number, ...each })))(
    'case $number ($comment): $strict',
    ({ publicKey, message, signature, strict }) => {
      expect(group.verifyEd25519(fromHex(publicKey), fromHex(message), fromHex(signature))).toBe(strict);
    },
  );
});

describe('Wycheproof', () => {
  const cases = wycheproof.groups.flatMap(({ publicKey, tests }) => tests.map((test) => ({ publicKey, ...test })));

  it('has all its cases', () => {
    expect(cases).toHaveLength(wycheproof.numberOfTests);
  });

  it.each(cases)('case $id ($comment)', ({ publicKey, message, signature, valid }) => {
    expect(group.verifyEd25519(fromHex(publicKey), fromHex(message), fromHex(signature))).toBe(valid);
  });
});

it('refuses the identity as a key that was summed up to', () => {
  const one = group.commit(secretOf(1n));
  const identity = group.combine(L - 1n, [{ factor: 1n, point: one }]);
  const signature = concatBytes(one.encoded, bytesOf(1n));
  for (const key of [identity, group.fix(identity), identity.encoded]) {
    expect(group.verifyEd25519(key, new Uint8Array(0), signature)).toBe(false);
  }
});

it('agrees with node:crypto and the oracle on fresh signatures, good and bad', () => {
  for (let i = 0; i < 100; i++) {
    const { secretKey, publicKey } = ed25519.keygen();
    const message = random(i);
    const signature = ed25519.sign(message, secretKey);
    const bad = signature.map((byte, place) => (place === 32 ? byte ^ 1 : byte));
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) } });
    for (const [candidate, expected] of [
      [signature, true],
      [bad, false],
    ] as const) {
      expect(verify(null, message, key, candidate)).toBe(expected);
      expect(group.verifyEd25519(publicKey, message, candidate)).toBe(expected);
      expect(nobleGroup.verifyEd25519(publicKey, message, candidate)).toBe(expected);
    }
  }
});
