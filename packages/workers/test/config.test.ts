import { randomBytes } from 'node:crypto';
import { SecretBytes, toBase64Url } from '@streaming-yao/core';
import { Pins, ROLES, type Role } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { generateKeys, pinsText } from '../../../tools/keys.ts';
import { readConfig } from '../src/config.ts';
import { BINDINGS, CALLEES } from '../src/public-peers.ts';
import { formatSecret, HpkePrivateKeys, SECRETS_OF, variableOf } from '../src/secret.ts';

const keys = generateKeys({ deployment: 'test', profile: 'two-operators' });
const originOf = (role: Role): string => `https://${role}.example`;
const originsOf = (role: Role) => Object.fromEntries(CALLEES[role].map((callee) => [callee, originOf(callee)]));
const environmentOf = (role: Role): Record<string, unknown> => ({
  PINS: pinsText(keys.pins),
  PEERS: JSON.stringify(originsOf(role)),
  ...keys.secrets[role],
  OBJECTS: {},
});

function refusal(role: Role, changes: Record<string, unknown>): Error {
  const environment = { ...environmentOf(role), ...changes };
  for (const [name, value] of Object.entries(environment)) if (value === undefined) delete environment[name];
  try {
    readConfig(role, environment);
  } catch (error) {
    expect(error).toMatchObject({ code: 'config_invalid', party: 'operator' });
    return error as Error;
  }
  throw new Error('was accepted');
}

const everySecret = ROLES.flatMap((role) => SECRETS_OF[role].map((purpose) => [role, purpose, variableOf(purpose)] as const));

describe('readConfig', () => {
  it.each(ROLES)('reads what keygen makes for %s', (role) => {
    const config = readConfig(role, environmentOf(role));
    expect(config).toMatchObject({ role, shardCount: 4, pins: { deployment: 'test', profile: 'two-operators' } });
    const derives = role === 'deriver-a' || role === 'deriver-b';
    expect([config.derivationRoot?.length, config.storageKey?.length, config.hpkeKeys.length]).toEqual([
      derives ? 32 : undefined,
      role === 'router' ? undefined : 32,
      role === 'router' ? 0 : 1,
    ]);
  });

  it.each(everySecret)('refuses %s without its %s', (role, _, name) => {
    expect(refusal(role, { [name]: undefined }).message).toContain(`${name} is missing`);
  });

  it.each(everySecret)('refuses %s with another role’s %s', (role, purpose, name) => {
    for (const other of ROLES.filter((candidate) => candidate !== role && SECRETS_OF[candidate].includes(purpose))) {
      expect(refusal(role, { [name]: keys.secrets[other][name] }).message).toContain('another role');
    }
  });

  it.each(everySecret)('refuses %s with another of its secrets as %s', (role, purpose, name) => {
    for (const other of SECRETS_OF[role].filter((candidate) => candidate !== purpose)) {
      expect(refusal(role, { [name]: keys.secrets[role][variableOf(other)] }).message).toContain('another purpose');
    }
  });

  it('refuses secrets that the role must not have, by name and by look', () => {
    expect(refusal('router', { STORAGE_KEY: 'anything' }).message).toContain('STORAGE_KEY');
    expect(refusal('router', { NOTE: keys.secrets['deriver-a'].DERIVATION_ROOT }).message).toContain('NOTE');
    expect(refusal('signing-worker', { DERIVATION_ROOT: keys.secrets['deriver-a'].DERIVATION_ROOT }).message).toContain(
      'DERIVATION_ROOT',
    );
  });

  it('refuses a signing key that is not the pinned one', () => {
    const others = generateKeys({ deployment: 'test', profile: 'two-operators' });
    for (const role of ROLES) {
      expect(refusal(role, { SIGNING_KEY: others.secrets[role].SIGNING_KEY }).message).toContain('PINS');
    }
  });

  it('refuses damaged secrets without repeating them', () => {
    const good = keys.secrets['deriver-a'].STORAGE_KEY as string;
    const damaged = [
      good.slice(0, -1),
      `${good}A`,
      `${good}=`,
      `${good}:x`,
      good.slice(0, 'yao-secret:deriver-a:storage-key'.length),
      good.replace('yao-secret:', ''),
      'yao-secret:deriver-a:storage-key:',
      '',
      42,
    ];
    for (const value of damaged) {
      const { message } = refusal('deriver-a', { STORAGE_KEY: value });
      expect(message).toContain('STORAGE_KEY');
      expect(message).not.toContain(good.slice(-20, -4));
    }
  });

  it('refuses damaged HPKE keys, none, three, and one name twice', () => {
    const key = (keyId: string) => ({ keyId, privateKey: new Uint8Array(randomBytes(32)), notBeforeMs: 1, notAfterMs: 2 });
    const secretOf = (bytes: Uint8Array) => formatSecret('deriver-b', 'hpke-keys', SecretBytes.own(bytes));
    const encoded = (...names: string[]) => HpkePrivateKeys.encode({ keys: names.map(key) });
    expect(
      readConfig('deriver-b', { ...environmentOf('deriver-b'), HPKE_KEYS: secretOf(encoded('a', 'b')) }).hpkeKeys,
    ).toHaveLength(2);
    expect(refusal('deriver-b', { HPKE_KEYS: secretOf(encoded('a').subarray(1)) }).message).toContain('damaged');
    expect(refusal('deriver-b', { HPKE_KEYS: secretOf(encoded('a', 'a')) }).message).toContain('twice');
    expect(() => encoded()).toThrow();
    expect(() => encoded('a', 'b', 'c')).toThrow();
  });

  it('refuses pins that are missing, damaged, or of another shape', () => {
    const pins = Pins.toJson(keys.pins) as Record<string, unknown>;
    const wrong = [undefined, '', '{', '[]', JSON.stringify({ ...pins, router: 'AA' }), JSON.stringify({ ...pins, more: 1 })];
    for (const text of wrong) expect(refusal('router', { PINS: text }).message).toContain('PINS');
  });

  it('refuses a shard count that is not one', () => {
    expect(readConfig('deriver-a', { ...environmentOf('deriver-a'), SHARD_COUNT: '16' }).shardCount).toBe(16);
    for (const count of ['0', '-1', '1.5', '', '2000', '0x4', 4]) {
      expect(refusal('deriver-a', { SHARD_COUNT: count }).message).toContain('SHARD_COUNT');
    }
  });
});

describe('the profile decides where other roles are', () => {
  const oneAccount = pinsText({ ...keys.pins, profile: 'one-account' });

  it.each(ROLES)('two operators: %s has the origins of those whom it calls', (role) => {
    expect(readConfig(role, environmentOf(role)).publicPeers).toEqual(originsOf(role));
  });

  it('two operators: a role that calls somebody needs PEERS, another may do without', () => {
    for (const role of ['router', 'deriver-a'] as const) expect(refusal(role, { PEERS: undefined }).message).toContain('PEERS');
    const { PEERS: _, ...without } = environmentOf('deriver-b');
    expect(readConfig('deriver-b', without).publicPeers).toEqual({});
  });

  it.each(ROLES)('two operators: %s refuses a service binding to another role', (role) => {
    for (const name of Object.values(BINDINGS)) expect(refusal(role, { [name]: {} }).message).toContain(name);
  });

  it.each(ROLES)('one account: %s refuses PEERS', (role) => {
    expect(refusal(role, { PINS: oneAccount }).message).toContain('PEERS');
    expect(readConfig(role, { ...environmentOf(role), PINS: oneAccount, PEERS: undefined }).publicPeers).toEqual({});
  });

  const wrongOrigins = [
    'b.example',
    'http://b.example',
    'ws://127.0.0.1',
    'https://b.example/',
    'https://b.example/path',
    'https://user@b.example',
    'https://B.example',
    42,
  ];
  const somebodyMore = { ...originsOf('deriver-a'), 'signing-worker': originOf('signing-worker') };

  it.each([
    'deriver-b',
    'null',
    '{}',
    JSON.stringify(somebodyMore),
    JSON.stringify({ 'deriver-a': originOf('deriver-a') }),
    ...wrongOrigins.map((origin) => JSON.stringify({ 'deriver-b': origin })),
  ])('refuses %s as PEERS of deriver-a', (text) => {
    expect(refusal('deriver-a', { PEERS: text }).message).toContain('PEERS');
  });

  it('takes http at loopback addresses', () => {
    for (const origin of ['http://127.0.0.1:8787', 'http://localhost:1', 'http://[::1]:8787']) {
      const PEERS = JSON.stringify({ 'deriver-b': origin });
      expect(readConfig('deriver-a', { ...environmentOf('deriver-a'), PEERS }).publicPeers).toEqual({ 'deriver-b': origin });
    }
  });
});

describe('keygen', () => {
  it('makes every secret anew, and pins that hold no secret', () => {
    const texts = ROLES.flatMap((role) => Object.values(keys.secrets[role]));
    expect(new Set(texts).size).toBe(everySecret.length);
    const pins = pinsText(keys.pins);
    for (const text of texts) expect(pins).not.toContain(text.split(':').at(-1));
    expect(pins).toContain(toBase64Url(keys.pins.router));
  });
});

describe('the signing policy', () => {
  it('reads what the SigningWorker signs, and leaves it out for any other role', () => {
    const POLICY = '{"kinds": ["text"], "sessions": "required"}';
    const policy = { kinds: ['text'], sessions: 'required' };
    expect(readConfig('signing-worker', { ...environmentOf('signing-worker'), POLICY }).policy).toEqual(policy);
    expect(readConfig('signing-worker', environmentOf('signing-worker')).policy).toBeUndefined();
    expect(readConfig('router', { ...environmentOf('router'), POLICY }).policy).toBeUndefined();
  });

  it.each([
    ['not JSON', '{'],
    ['an unknown kind', '{"kinds": ["money"], "sessions": "optional"}'],
    ['no kinds', '{"kinds": [], "sessions": "optional"}'],
    ['another word', '{"kinds": null, "sessions": "sometimes"}'],
    ['another field', '{"kinds": null, "sessions": "optional", "more": 1}'],
  ])('refuses a policy with %s', (_, POLICY) => {
    expect(refusal('signing-worker', { POLICY }).message).toContain('POLICY is no signing policy');
  });
});
