import { enrolPasskey } from '@streaming-yao/client/browser';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { newWalletId, random, TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { connectWith, outcomes } from './asking.ts';
import { Authenticator } from './authenticator.ts';

const ISSUER = 'https://app.example';
const HOUR = 3_600_000;
const PAGE = 'http://localhost:4321';
const backend = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
const jwks = { keys: [{ ...(await exportJWK(backend.publicKey)), kid: 'one', alg: 'EdDSA' }] };

const running = sharedStack({
  passkeyOrigins: [PAGE],
  admission: {
    accept: { register: ['app-token', 'passkey'], export: ['app-token'] },
    apps: [{ issuer: ISSUER, audience: 'streaming-yao', jwks: JSON.parse(JSON.stringify(jwks)) }],
    clockToleranceMs: 60_000,
    limits: { register: { identity: { count: 2, windowMs: HOUR } } },
  },
});

interface Changes {
  readonly claims?: { readonly [claim: string]: unknown };
  readonly key?: CryptoKey;
  readonly kid?: string;
  /** Relative to now. */
  readonly issuedS?: number;
  readonly expiresS?: number;
}

async function token({
  claims = {},
  key = backend.privateKey,
  kid = 'one',
  issuedS = 0,
  expiresS = 600,
}: Changes = {}): Promise<string> {
  const nowS = Math.floor(Date.now() / 1000);
  const payload = { iss: ISSUER, aud: 'streaming-yao', sub: `user ${Math.random()}`, ...claims };
  return new SignJWT({ iat: nowS + issuedS, exp: nowS + expiresS, ...payload })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .sign(key);
}

function deviceWith(bearer: string | undefined, walletId = newWalletId()): TestDevice {
  const { routerUrl } = running.stack;
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return new TestDevice(running.stack, { walletId, router: connectWith(routerUrl, headers) });
}

const registered = async (bearer?: string, walletId?: string) => outcomes([deviceWith(bearer, walletId).wallet.register()]);

describe('a deployment that takes registrations by app token or passkey', () => {
  test('refuses whoever comes with neither, and never believes the request', async () => {
    expect(await registered()).toEqual({ not_admitted: 1 });
  });

  test('takes a token of the app’s backend', async () => {
    expect(await registered(await token())).toEqual({ done: 1 });
  });

  test('takes a passkey without any token', async () => {
    const walletId = newWalletId();
    const { container } = new Authenticator(PAGE);
    const device = deviceWith(undefined, walletId);
    const place = { rpId: 'localhost', container, walletId, storage: device.storage, label: 'me' };
    const credential = await enrolPasskey(place);
    const holder = new TestDevice(running.stack, { walletId, credential, storage: device.storage });
    expect(await outcomes([holder.wallet.register()])).toEqual({ done: 1 });
    // What the passkey opens is not what an export asks for.
    expect(await outcomes([holder.wallet.exportKey({ format: 'seed-hex' })])).toEqual({ not_admitted: 1 });
    const vouched = new TestDevice(running.stack, {
      ...{ walletId, credential, storage: device.storage },
      router: connectWith(running.stack.routerUrl, { authorization: `Bearer ${await token()}` }),
    });
    expect(await outcomes([vouched.wallet.exportKey({ format: 'seed-hex' })])).toEqual({ done: 1 });
  });

  test('a token authorizes nothing: a stranger’s credential stays a stranger’s', async () => {
    const owner = deviceWith(await token());
    await owner.wallet.register();
    const thief = new TestDevice(running.stack, { walletId: owner.walletId, router: owner.router });
    expect(await outcomes([thief.wallet.recover()])).toEqual({ authorization_invalid: 1 });
  });

  test('counts per user of the app, whatever the wallet', async () => {
    const bearer = await token({ claims: { sub: 'one and the same' } });
    const other = await token({ claims: { sub: 'another' } });
    expect(await outcomes(Array.from({ length: 5 }, () => deviceWith(bearer).wallet.register()))).toEqual({
      done: 2,
      rate_limited: 3,
    });
    expect(await registered(other)).toEqual({ done: 1 });
  });
});

describe('a token', () => {
  test.each([
    ['issued 5 s ahead of our clock', { issuedS: 5 }],
    ['that expired within the tolerance', { issuedS: -600, expiresS: -30 }],
    ['with further claims', { claims: { name: 'x', roles: ['y'] } }],
    ['for several audiences', { claims: { aud: ['other', 'streaming-yao'] } }],
  ] satisfies readonly (readonly [string, Changes])[])('%s is taken', async (_, changes) => {
    expect(await registered(await token(changes))).toEqual({ done: 1 });
  });

  test.each([
    ['issued beyond the tolerance', { issuedS: 120 }],
    ['that expired beyond the tolerance', { issuedS: -600, expiresS: -90 }],
    ['too old, however late it expires', { issuedS: -4000, expiresS: 4000 }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another audience', { claims: { aud: 'other' } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['by another key', { key: stranger.privateKey }],
    ['that names another key', { kid: 'two' }],
    ['for another wallet', { claims: { wallet: 'w-of-somebody-else' } }],
  ] satisfies readonly (readonly [string, Changes])[])('%s is refused', async (_, changes) => {
    expect(await registered(await token(changes))).toEqual({ app_token_invalid: 1 });
  });

  test('for this very wallet is taken', async () => {
    const walletId = newWalletId();
    expect(await registered(await token({ claims: { wallet: walletId } }), walletId)).toEqual({ done: 1 });
  });

  test('damaged, unsigned or signed with a shared secret is refused', async () => {
    const [header = '', payload = '', signature = ''] = (await token()).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const shared = await new SignJWT({ iss: ISSUER, aud: 'streaming-yao', sub: 'x' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(random(32));
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    for (const bearer of ['', 'x', `${none}.${payload}.`, `${header}.${payload}.${flipped}`, shared]) {
      expect(await registered(bearer)).toEqual({ app_token_invalid: 1 });
    }
  });
});
