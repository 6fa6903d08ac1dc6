import { toBase64Url, toHex } from '@streaming-yao/core';
import { COMPATIBILITY } from '@streaming-yao/workers/compatibility';
import { Miniflare } from 'miniflare';
import { expect, test } from 'vitest';
import { NOW_MS, random, twoSigners } from './two-signers.ts';

/** Says of each signature whether WebCrypto of this runtime accepts it. */
const WORKER = `
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const accepts = async ({ publicKey, message, signature }) => {
    const key = await crypto.subtle.importKey('raw', bytes(publicKey), 'Ed25519', false, ['verify']);
    return crypto.subtle.verify('Ed25519', key, bytes(signature), bytes(message));
  };
  export default { fetch: async (request) => Response.json(await Promise.all((await request.json()).map(accepts))) };
`;

test('joint signatures are valid for WebCrypto, in workerd and in Node, and with a bit changed are not', async () => {
  const signed = Array.from({ length: 100 }, (_, i) => {
    const { pool, request, groupPublicKey } = twoSigners();
    const message = random(i);
    const signature = pool.finish(request(message), NOW_MS);
    if (i % 4 === 3) signature[i % 64] = (signature[i % 64] as number) ^ 1;
    return { publicKey: groupPublicKey, message, signature };
  });
  const expected = signed.map((_, i) => i % 4 !== 3);
  const miniflare = new Miniflare({ compatibilityDate: COMPATIBILITY.date, modules: true, script: WORKER });
  try {
    const body = JSON.stringify(
      signed.map((each) => Object.fromEntries(Object.entries(each).map(([name, bytes]) => [name, toHex(bytes)]))),
    );
    const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body });
    expect(await response.json()).toEqual(expected);
  } finally {
    await miniflare.dispose();
  }
  const inNode = signed.map(async ({ publicKey, message, signature }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) };
    const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
    return crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(message));
  });
  expect(await Promise.all(inNode)).toEqual(expected);
});
