import { fromBase64Url, LIMITS, toBase64Url, utf8 } from '@streaming-yao/core';
import { CallToken, RoleCall } from '@streaming-yao/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, checkCallToken, issueCallToken } from '../src/call-token.ts';

const now = Date.UTC(2026, 10, 30, 12);
const call: Call = { kind: 'call', caller: 'router', audience: 'deriver-a', path: '/ceremony', body: utf8('{"a":1}') };

let router: CryptoKeyPair;
let routerKey: Uint8Array;
let other: CryptoKeyPair;
beforeAll(async () => {
  const make = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
  [router, other] = await Promise.all([make(), make()]);
  routerKey = new Uint8Array(await crypto.subtle.exportKey('raw', router.publicKey));
});

const check = (header: string, at = now, expected = call) => checkCallToken(expected, header, routerKey, at);
const refused = { code: 'grant_invalid', status: 401 };

const issue = (key = router.privateKey) => issueCallToken(call, key, now);
const bytesOf = (header: string): Uint8Array => fromBase64Url(header.slice('Bearer '.length));
const headerOf = (token: Uint8Array): string => `Bearer ${toBase64Url(token)}`;

describe('a call token', () => {
  it('opens exactly the call that it was made for', async () => {
    await expect(check(await issue())).resolves.toBeUndefined();
  });

  it('is a signature over the whole call', async () => {
    const { issuedAtMs, signature } = CallToken.decode(bytesOf(await issue()));
    expect(issuedAtMs).toBe(now);
    const body = new Uint8Array(await crypto.subtle.digest('SHA-256', call.body as BufferSource));
    const message = RoleCall.encode({ ...call, body, issuedAtMs }) as BufferSource;
    await expect(crypto.subtle.verify('Ed25519', router.publicKey, signature as BufferSource, message)).resolves.toBe(true);
  });

  it.each([
    ['another body', { ...call, body: utf8('{"a":2}') }],
    ['an empty body', { ...call, body: new Uint8Array(0) }],
    ['another path', { ...call, path: '/export' }],
    ['another query', { ...call, path: '/ceremony?x=1' }],
    ['another audience', { ...call, audience: 'deriver-b' as const }],
    ['another caller', { ...call, caller: 'deriver-a' as const }],
    ['an answer', { ...call, kind: 'stream-answer' as const }],
  ])('is refused for %s', async (_, other) => {
    await expect(check(await issue(), now, other)).rejects.toMatchObject(refused);
  });

  it('is refused for a path that no call has', async () => {
    const long = { ...call, path: `/${'x'.repeat(2_000)}` };
    await expect(check(await issue(), now, long)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('is refused when its time is not now, beyond the tolerated clock difference', async () => {
    const token = await issue();
    const end = now + LIMITS.callTokenLifeMs + LIMITS.clockSkewMs;
    const start = now - LIMITS.clockSkewMs;
    for (const at of [start, end]) await expect(check(token, at)).resolves.toBeUndefined();
    for (const at of [start - 1, end + 1]) await expect(check(token, at)).rejects.toMatchObject(refused);
  });

  it('is refused when another key signed it', async () => {
    await expect(check(await issue(other.privateKey))).rejects.toMatchObject(refused);
  });

  it('is refused when any byte of it is changed', async () => {
    const token = bytesOf(await issue());
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice();
      changed[i] = (changed[i] as number) ^ 1;
      await expect(check(headerOf(changed)), `byte ${i}`).rejects.toMatchObject(refused);
    }
  });

  it('is refused when it is given a later time', async () => {
    const old = CallToken.decode(bytesOf(await issueCallToken(call, router.privateKey, now - 86_400_000)));
    await expect(check(headerOf(CallToken.encode({ ...old, issuedAtMs: now })))).rejects.toMatchObject(refused);
  });

  it('is refused longer and shorter', async () => {
    const token = bytesOf(await issue());
    await expect(check(headerOf(token.subarray(1)))).rejects.toMatchObject(refused);
    await expect(check(headerOf(token.subarray(0, -1)))).rejects.toMatchObject(refused);
    await expect(check(headerOf(Uint8Array.from([...token, 0])))).rejects.toMatchObject(refused);
    await expect(check(`${headerOf(token)}=`)).rejects.toMatchObject(refused);
  });

  it.each([null, '', 'Bearer', 'Bearer ', 'bearer x', 'Basic eDp5', 'Bearer a.b.c', `Bearer ${'x'.repeat(10_000)}`])(
    'is refused as %j',
    async (header) => {
      await expect(checkCallToken(call, header, routerKey, now)).rejects.toMatchObject(refused);
    },
  );
});
