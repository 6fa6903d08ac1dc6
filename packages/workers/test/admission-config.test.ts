import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { readAdmission } from '../src/admission-config.ts';
import { readPasskeyRules } from '../src/passkey-rules.ts';

const { publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
const APP = { issuer: 'https://app.example', audience: 'yao', jwks: { keys: [await exportJWK(publicKey)] } };
const invalid = expect.objectContaining({ code: 'config_invalid', party: 'operator' });
const read = (fields: unknown) => readAdmission(JSON.stringify(fields));

describe('ADMISSION', () => {
  test('is open and unlimited where absent, with the standard tolerance', () => {
    expect(readAdmission(undefined)).toEqual({
      ...{ rules: { accept: {}, limits: {} }, apps: [], origins: [] },
      clockToleranceMs: 60_000,
    });
  });

  test('is read as it is written', () => {
    const limits = { register: { address: { count: 10, windowMs: 60_000 }, wallet: { count: 1, windowMs: 1 } } };
    const accept = { register: ['passkey', 'app-token'] };
    const origins = ['https://app.example', 'http://localhost:8080'];
    const admission = read({ accept, limits, origins, apps: [APP], clockToleranceMs: 0 });
    expect(admission).toMatchObject({ rules: { accept, limits }, origins, clockToleranceMs: 0 });
    expect(admission.apps).toMatchObject([{ issuer: APP.issuer, audience: APP.audience }]);
  });

  test('takes a tolerance of 300 s, and no more', () => {
    expect(read({ clockToleranceMs: 300_000 }).clockToleranceMs).toBe(300_000);
    for (const clockToleranceMs of [300_001, -1, 0.5, '60', null]) expect(() => read({ clockToleranceMs })).toThrow(invalid);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['an unknown field', '{"limit": {}}'],
    ['an unknown operation', '{"accept": {"sign": ["open"]}}'],
    ['an unknown way', '{"accept": {"register": ["password"]}}'],
    ['no way at all', '{"accept": {"register": []}}'],
    ['app tokens of no app', '{"accept": {"register": ["app-token"]}}'],
    ['an app without keys', '{"apps": [{"issuer": "a", "audience": "b"}]}'],
    ['an app without an audience', JSON.stringify({ apps: [{ ...APP, audience: undefined }] })],
    ['an unknown concern', '{"limits": {"login": {}}}'],
    ['an unknown thing to count by', '{"limits": {"register": {"country": {"count": 1, "windowMs": 1}}}}'],
    ['a limit without a window', '{"limits": {"register": {"wallet": {"count": 1}}}}'],
    ['a limit of none', '{"limits": {"register": {"wallet": {"count": 0, "windowMs": 1}}}}'],
    ['signatures by wallet', '{"limits": {"sign": {"wallet": {"count": 1, "windowMs": 1}}}}'],
    ['any origin', '{"origins": ["*"]}'],
    ['an origin with a path', '{"origins": ["https://app.example/"]}'],
  ])('with %s is refused at the start', (_, text) => {
    expect(() => readAdmission(text)).toThrow(invalid);
  });
});

describe('PASSKEYS', () => {
  const rules = (rpId: unknown, ...origins: readonly unknown[]) =>
    readPasskeyRules('deriver-a', JSON.stringify({ rpId, origins }));

  test('are taken for a domain and its subdomains, over https, and on this machine', () => {
    expect(readPasskeyRules('router', undefined)).toBeUndefined();
    expect(rules('wallet.example', 'https://wallet.example', 'https://app.wallet.example:8443')).toEqual({
      rpId: 'wallet.example',
      origins: ['https://wallet.example', 'https://app.wallet.example:8443'],
    });
    expect(rules('localhost', 'http://localhost:8788')).toBeDefined();
  });

  test.each([
    ['no domain', 'https://wallet.example', 'https://wallet.example'],
    ['an upper-case domain', 'Wallet.example', 'https://wallet.example'],
    ['no origin', 'wallet.example'],
    ['another domain', 'wallet.example', 'https://example'],
    ['a domain that only ends alike', 'wallet.example', 'https://evilwallet.example'],
    ['an origin without TLS', 'wallet.example', 'http://wallet.example'],
    ['an origin with a path', 'wallet.example', 'https://wallet.example/x'],
  ])('with %s are refused at the start', (_, rpId, ...origins) => {
    expect(() => rules(rpId, ...origins)).toThrow(invalid);
    expect(() => readPasskeyRules('router', 'x')).toThrow(invalid);
  });
});
