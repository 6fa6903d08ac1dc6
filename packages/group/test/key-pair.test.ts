import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { fromHex, SecretBytes, toBase64Url, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import { loadGroup } from '../src/node.ts';
import { random } from './fixtures.ts';
import { nobleGroup } from './noble-group.ts';

const group = loadGroup();
const secret = (hex: string): SecretBytes => SecretBytes.own(fromHex(hex));

describe.each(rfc8032.cases)('RFC 8032 $name', ({ secretKey, publicKey, message, signature }) => {
  it('gives the public key and the signature', () => {
    expect(toHex(group.ed25519PublicKey(secret(secretKey)))).toBe(publicKey);
    expect(toHex(group.signEd25519(secret(secretKey), fromHex(message)))).toBe(signature);
  });
});

/** RFC 7748 section 6.1: the key pairs of Alice and Bob. */
const RFC7748 = [
  {
    name: 'Alice',
    privateKey: '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a',
    publicKey: '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
  },
  {
    name: 'Bob',
    privateKey: '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb',
    publicKey: 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
  },
];

it.each(RFC7748)('RFC 7748 gives the public key of $name', ({ privateKey, publicKey }) => {
  expect(toHex(group.x25519PublicKey(secret(privateKey)))).toBe(publicKey);
});

it('agrees with node:crypto and the oracle, whatever bits the bytes have', () => {
  const edges = ['00'.repeat(32), 'ff'.repeat(32), `07${'00'.repeat(30)}80`].map(fromHex);
  for (const bytes of [...edges, ...Array.from({ length: 100 }, () => random(32))]) {
    const seed = SecretBytes.own(bytes.slice());
    const message = random(bytes[0] ?? 0);
    const key = { kty: 'OKP', crv: 'Ed25519', d: toBase64Url(bytes), x: toBase64Url(group.ed25519PublicKey(seed)) };
    const signature = group.signEd25519(seed, message);
    expect(new Uint8Array(sign(null, message, createPrivateKey({ format: 'jwk', key })))).toEqual(signature);
    expect(group.ed25519PublicKey(seed)).toEqual(nobleGroup.ed25519PublicKey(seed));
    expect(signature).toEqual(nobleGroup.signEd25519(seed, message));
    expect(group.x25519PublicKey(seed)).toEqual(nobleGroup.x25519PublicKey(seed));
    expect(x25519ByNode(bytes)).toEqual(group.x25519PublicKey(seed));
  }
});

/** PKCS #8 of RFC 8410 around 32 bytes. */
function x25519ByNode(bytes: Uint8Array): Uint8Array {
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), bytes]);
  const { x } = createPublicKey(createPrivateKey({ format: 'der', type: 'pkcs8', key: der })).export({ format: 'jwk' });
  return new Uint8Array(Buffer.from(x as string, 'base64url'));
}

it.each([0, 31, 33, 64])('refuses %i bytes as a seed or private key', (length) => {
  const bytes = SecretBytes.own(new Uint8Array(length));
  for (const use of [group.ed25519PublicKey, group.x25519PublicKey] as const)
    expect(() => use.call(group, bytes)).toThrow(expect.objectContaining({ code: 'invalid_scalar' }));
  expect(() => group.signEd25519(bytes, random(3))).toThrow(expect.objectContaining({ code: 'invalid_scalar' }));
});
