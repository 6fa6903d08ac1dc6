import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROFILES, ROLES } from '@streaming-yao/wire';
import { BINDINGS, CALLEES } from '@streaming-yao/workers/public-peers';
import { afterAll, describe, expect, it } from 'vitest';
import { buildRole } from '../deploy/build-role.ts';
import { configurationOf } from '../deploy/configuration.ts';
import { exampleDescription, readDescription } from '../deploy/description.ts';
import { commandOf, environmentOf } from '../deploy/wrangler.ts';
import { generateKeys } from '../keys.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'streaming-yao-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const deploymentOf = (profile: (typeof PROFILES)[number]) => {
  const { pins, secrets, operator } = generateKeys({ deployment: 'test', profile });
  return { secrets, deployment: { pins, operator: operator?.publicKey ?? '', description: exampleDescription(profile) } };
};
const one = deploymentOf('one-account');
const two = deploymentOf('two-operators');

describe('the configuration of a role', () => {
  it('binds within one account, and names nobody but the Router to the outside', () => {
    for (const role of ROLES) {
      const configuration = configurationOf(role, one.deployment);
      const services = CALLEES[role].map((callee) => ({ binding: BINDINGS[callee], service: `yao-example-${callee}` }));
      expect(configuration).toMatchObject({ name: `yao-example-${role}`, services, workers_dev: false, preview_urls: false });
      expect('routes' in configuration).toBe(role === 'router');
      expect(configuration.vars).not.toHaveProperty('PEERS');
    }
  });

  it('binds nothing across operators, and names public origins instead', () => {
    for (const role of ROLES) {
      const configuration = configurationOf(role, two.deployment);
      const peers = Object.fromEntries(CALLEES[role].map((callee) => [callee, `https://${callee}.example`]));
      expect(configuration).toMatchObject({ services: [], routes: [{ pattern: `${role}.example`, custom_domain: true }] });
      expect(JSON.parse((configuration.vars as { PEERS: string }).PEERS)).toEqual(peers);
    }
    expect(configurationOf('deriver-b', two.deployment).account_id).not.toBe(
      configurationOf('deriver-a', two.deployment).account_id,
    );
  });

  it('gives each role its own objects, the Router its database and page', () => {
    const classes = (role: (typeof ROLES)[number]) => configurationOf(role, one.deployment).migrations;
    expect(classes('deriver-a')).toEqual([{ tag: 'v1', new_sqlite_classes: ['RoleObject'] }]);
    expect(classes('signing-worker')).toEqual([{ tag: 'v1', new_sqlite_classes: ['RoleObject', 'VaultSlot'] }]);
    for (const role of ROLES) {
      const configuration = configurationOf(role, one.deployment);
      expect(['d1_databases' in configuration, 'assets' in configuration]).toEqual([role === 'router', role === 'router']);
    }
  });
});

describe('the folder that a role is deployed from', () => {
  it.each(PROFILES)('is small, whole, and without a secret: %s', async (profile) => {
    const { deployment, secrets } = profile === 'one-account' ? one : two;
    const place = path.join(folder, profile);
    for (const role of ROLES) {
      const { bytes, configuration } = await buildRole(role, deployment, secrets[role], place);
      expect(bytes).toBeLessThan(200 * 1024);
      expect(JSON.parse(readFileSync(configuration, 'utf8'))).toEqual(configurationOf(role, deployment));
      expect(readdirSync(path.join(place, role, 'worker'))).toContain('worker.js');
    }
    expect(readdirSync(path.join(place, 'router')).sort()).toEqual(['migrations', 'page', 'worker', 'wrangler.json']);
    const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => path.join(place, name));
    const values = ROLES.flatMap((role) => Object.values(secrets[role])).map((text) => text.slice(text.lastIndexOf(':') + 1));
    for (const file of files.filter((name) => statSync(name).isFile())) {
      const text = readFileSync(file, 'latin1');
      expect([file, values.filter((value) => text.includes(value))]).toEqual([file, []]);
    }
  });

  it("is not made for a role that would refuse to start: another role's secrets, a variable that does not fit", async () => {
    await expect(buildRole('router', one.deployment, one.secrets['deriver-a'], folder)).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const description = { ...one.deployment.description, variables: { SETTINGS: { ceremonyDeadlineMs: 1 } } };
    const wrong = { ...one.deployment, description };
    await expect(buildRole('deriver-a', wrong, one.secrets['deriver-a'], folder)).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});

describe('deployment.json', () => {
  const example = exampleDescription('two-operators');
  it('is read when it fits', () => {
    for (const profile of PROFILES)
      expect(readDescription(exampleDescription(profile), profile)).toEqual(exampleDescription(profile));
  });

  it.each<[string, object]>([
    ['name has', { name: 'No' }],
    ['unknown field more', { more: 1 }],
    ['databaseId', { databaseId: 'x' }],
    ['accounts.deriver-a', { accounts: { ...example.accounts, 'deriver-a': 'x' } }],
    ['accounts of their own', { accounts: { ...example.accounts, 'deriver-b': example.accounts['deriver-a'] } }],
    ['origins.deriver-b', { origins: { ...example.origins, 'deriver-b': 'http://b.example' } }],
    ['unknown variable SIGNING_KEY', { variables: { SIGNING_KEY: 'x' } }],
  ])('is refused: %s', (what, change) => {
    expect(() => readDescription({ ...example, ...change }, 'two-operators')).toThrow(what);
  });

  it('is refused within one account with two of them, or with more than the Router outside', () => {
    expect(() => readDescription(example, 'one-account')).toThrow('all roles are in one account');
    const outside = { ...exampleDescription('one-account'), origins: example.origins };
    expect(() => readDescription(outside, 'one-account')).toThrow('nobody but the Router');
  });
});

describe('wrangler', () => {
  it('is called for each step with the configuration of one role', () => {
    expect(commandOf('dry-run', 'c')).toEqual(['deploy', '--dry-run', '--config', 'c']);
    expect(commandOf('migrations', 'c')).toEqual(['d1', 'migrations', 'apply', 'DB', '--remote', '--config', 'c']);
    expect(commandOf('secrets', 'c', 's.json')).toEqual(['secret', 'bulk', 's.json', '--config', 'c']);
    expect(commandOf('deploy', 'c')).toEqual(['deploy', '--strict', '--config', 'c']);
    expect(commandOf('rollback', 'c', 'v')).toEqual(['rollback', 'v', '--yes', '--config', 'c']);
  });

  it("gets a role's own token, and no other credential", () => {
    const given = {
      PATH: '/bin',
      CLOUDFLARE_API_KEY: 'k',
      CF_ACCOUNT_ID: 'i',
      CLOUDFLARE_API_TOKEN_ROUTER: 'r',
      CLOUDFLARE_API_TOKEN_DERIVER_A: 'a',
    };
    const plain = { PATH: '/bin', WRANGLER_SEND_METRICS: 'false', CI: '1' };
    expect(environmentOf('router', given, false)).toEqual(plain);
    expect(environmentOf('deriver-a', given, true)).toEqual({ ...plain, CLOUDFLARE_API_TOKEN: 'a' });
    expect(() => environmentOf('deriver-b', given, true)).toThrow('CLOUDFLARE_API_TOKEN_DERIVER_B is not set');
    const shared = { ...given, CLOUDFLARE_API_TOKEN_DERIVER_B: 'a' };
    expect(() => environmentOf('deriver-b', shared, true)).toThrow('are one token');
  });
});
