import { fromBase64Url, LIMITS, toBase64Url, utf8 } from '@streaming-yao/core';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, checkCallToken, issueCallToken } from '../src/call-token.ts';

const now = Date.UTC(2026, 10, 30, 12);
const call: Call = { type: 'call', caller: 'router', audience: 'deriver-a', path: '/ceremony', body: utf8('{"a":1}') };

let router: CryptoKeyPair;
let other: CryptoKeyPair;
beforeAll(async () => {
  const make = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
  [router, other] = await Promise.all([make(), make()]);
});

const check = (token: string, at = now, expected = call) => checkCallToken(expected, `Bearer ${token}`, router.publicKey, at);
const refused = { code: 'grant_invalid', status: 401 };

const part = (value: object) => toBase64Url(utf8(JSON.stringify(value)));
const bodyDigest = async () => toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', call.body as BufferSource)));

/** A token with claims and header of one's own. */
async function forge(
  claims: object,
  header: { alg: string; typ?: string } = { alg: 'EdDSA', typ: 'yao-call+jwt' },
  key = router.privateKey,
) {
  const iat = Math.floor(now / 1000);
  const all = { iss: 'router', aud: 'deriver-a', iat, exp: iat + 30, path: '/ceremony', body: await bodyDigest(), ...claims };
  return new SignJWT(all).setProtectedHeader(header).sign(key);
}

describe('a call token', () => {
  it('opens exactly the call that it was made for', async () => {
    await expect(check(await issueCallToken(call, router.privateKey, now))).resolves.toBeUndefined();
  });

  it.each([
    ['another body', { ...call, body: utf8('{"a":2}') }],
    ['an empty body', { ...call, body: new Uint8Array(0) }],
    ['another path', { ...call, path: '/export' }],
    ['another query', { ...call, path: '/ceremony?x=1' }],
    ['another audience', { ...call, audience: 'deriver-b' as const }],
    ['another caller', { ...call, caller: 'deriver-a' as const }],
    ['an answer', { ...call, type: 'stream' as const }],
  ])('is refused for %s', async (_, other) => {
    await expect(check(await issueCallToken(call, router.privateKey, now), now, other)).rejects.toMatchObject(refused);
  });

  it('is refused when its time is not now, beyond the tolerated clock difference', async () => {
    const token = await issueCallToken(call, router.privateKey, now);
    const end = LIMITS.callTokenLifeMs + LIMITS.clockSkewMs;
    await expect(check(token, now + end - 1_000)).resolves.toBeUndefined();
    await expect(check(token, now + end + 1_000)).rejects.toMatchObject(refused);
    await expect(check(token, now - LIMITS.clockSkewMs + 1_000)).resolves.toBeUndefined();
    await expect(check(token, now - LIMITS.clockSkewMs - 1_000)).rejects.toMatchObject(refused);
  });

  it('is refused when another key signed it', async () => {
    await expect(check(await issueCallToken(call, other.privateKey, now))).rejects.toMatchObject(refused);
  });

  it('is refused when a bit of it is changed', async () => {
    const token = await issueCallToken(call, router.privateKey, now);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const flip = (text: string) => {
      const bytes = fromBase64Url(text);
      bytes[3] = (bytes[3] as number) ^ 1;
      return toBase64Url(bytes);
    };
    for (const changed of [
      [flip(header), payload, signature],
      [header, flip(payload), signature],
      [header, payload, flip(signature)],
    ]) {
      await expect(check(changed.join('.'))).rejects.toMatchObject(refused);
    }
  });

  it('is refused without each of its claims, and made to live longer', async () => {
    await expect(check(await forge({}))).resolves.toBeUndefined();
    for (const claim of ['iss', 'aud', 'iat', 'exp', 'path', 'body']) {
      await expect(check(await forge({ [claim]: undefined })), claim).rejects.toMatchObject(refused);
    }
    const old = Math.floor((now - LIMITS.callTokenLifeMs - LIMITS.clockSkewMs) / 1000) - 1;
    await expect(check(await forge({ iat: old, exp: old + 86_400 }))).rejects.toMatchObject(refused);
    await expect(check(await forge({ aud: ['deriver-a', 'deriver-b'] }))).rejects.toMatchObject(refused);
  });

  it('is refused under another header', async () => {
    await expect(check(await forge({}, { alg: 'EdDSA', typ: 'JWT' }))).rejects.toMatchObject(refused);
    await expect(check(await forge({}, { alg: 'EdDSA' }))).rejects.toMatchObject(refused);
    const [, payload] = (await forge({})).split('.');
    await expect(check(`${part({ alg: 'none', typ: 'yao-call+jwt' })}.${payload}.`)).rejects.toMatchObject(refused);
  });

  it.each([null, '', 'Bearer', 'Bearer ', 'bearer x', 'Basic eDp5', 'Bearer a.b.c', `Bearer ${'x'.repeat(10_000)}`])(
    'is refused as %j',
    async (header) => {
      await expect(checkCallToken(call, header, router.publicKey, now)).rejects.toMatchObject(refused);
    },
  );
});
