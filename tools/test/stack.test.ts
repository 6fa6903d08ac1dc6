import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROLES, type Role } from '@streaming-yao/wire';
import { readConfig } from '@streaming-yao/workers/config';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcomeOf, TestDevice } from '../../test/stack/device.ts';
import { pinsFile, publicFile, type RoleSecrets, readKeys, secretFile } from '../keys.ts';
import { endProcesses, findRoleProcesses, isAlive, until } from '../processes.ts';
import { type Stack, startStack } from '../stack.ts';

const tools = path.dirname(import.meta.dirname);

let folder: string;
const makeFolder = (): void => {
  folder = mkdtempSync(path.join(tmpdir(), 'stack-'));
};
const removeFolder = async (): Promise<void> => {
  await endProcesses(findRoleProcesses(folder).map(({ pid }) => pid));
  rmSync(folder, { recursive: true });
};

/** Four processes start in a second or two, and in a minute where many others want the same two cores. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const health = async (url: string) => (await fetch(`${url}/health`)).json();

describe('a stack', () => {
  let stack: Stack;
  beforeAll(async () => {
    makeFolder();
    stack = await startStack({ folder });
  });
  afterAll(async () => {
    await stack.stop();
    await removeFolder();
  });

  it('runs each role in a process of its own', async () => {
    for (const role of ROLES) {
      expect(await health(stack.roles[role].url)).toEqual({ role, ready: true, deployment: 'local', profile: 'one-account' });
    }
    const pids = ROLES.map((role) => stack.roles[role].pid);
    expect(new Set(pids).size).toBe(4);
    expect(pids.every(isAlive)).toBe(true);
    expect(new Set(findRoleProcesses(folder).map(({ pid }) => pid))).toEqual(new Set(pids));
  });

  it('hands each role its own secrets only, and none by way of a process’s environment or arguments', () => {
    const secrets = ROLES.flatMap((role) =>
      Object.values(JSON.parse(readFileSync(secretFile(path.join(folder, 'keys'), role), 'utf8'))),
    );
    expect(secrets.length).toBe(12);
    for (const role of ROLES) {
      for (const place of ['environ', 'cmdline']) {
        const text = readFileSync(`/proc/${stack.roles[role].pid}/${place}`, 'utf8');
        for (const secret of secrets as string[]) expect(text).not.toContain(secret.split(':').at(-1));
      }
    }
  });

  it('restarts a role on its storage after a kill, in a new process at the same address', async () => {
    const { ended, pid } = await stack.restart('deriver-b');
    expect(isAlive(ended)).toBe(false);
    expect(pid).toBe(stack.roles['deriver-b'].pid);
    expect(await health(stack.roles['deriver-b'].url)).toMatchObject({ role: 'deriver-b', ready: true });
  });

  it('lets a role be stopped and continued', async () => {
    const role = stack.roles['signing-worker'];
    role.signal('SIGSTOP');
    await expect(fetch(`${role.url}/health`, { signal: AbortSignal.timeout(200) })).rejects.toThrow();
    role.signal('SIGCONT');
    expect(await health(role.url)).toMatchObject({ ready: true });
  });

  it('refuses a second stack on its folder', async () => {
    await expect(startStack({ folder })).rejects.toThrow(/already \(process \d+\)/);
    expect(await health(stack.routerUrl)).toMatchObject({ ready: true });
  });

  it('keeps its folder from other users', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('the beginning and end of a stack', () => {
  beforeEach(makeFolder);
  afterEach(removeFolder);

  it('leaves no process, its keys for the next one, and nothing for one that begins anew', async () => {
    const first = await startStack({ folder });
    const pids = ROLES.map((role) => first.roles[role].pid);
    await first.stop();
    expect(pids.some(isAlive)).toBe(false);
    const second = await startStack({ folder });
    expect(second.pins).toEqual(first.pins);
    await second.stop();
    const fresh = await startStack({ folder, fresh: true });
    expect(fresh.pins).not.toEqual(first.pins);
    await fresh.stop();
  });

  it('refuses to start when a role is handed another role’s secret, and leaves no process', async () => {
    await (await startStack({ folder })).stop();
    const keys = path.join(folder, 'keys');
    cpSync(secretFile(keys, 'deriver-a'), secretFile(keys, 'deriver-b'));
    await expect(startStack({ folder })).rejects.toMatchObject({ code: 'config_invalid', party: 'operator' });
    expect(findRoleProcesses(folder)).toEqual([]);
  });

  it('refuses to start when a secret is missing', async () => {
    await (await startStack({ folder })).stop();
    const file = secretFile(path.join(folder, 'keys'), 'signing-worker');
    const { STORAGE_KEY: _, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(rest));
    await expect(startStack({ folder })).rejects.toThrow(/signing-worker: STORAGE_KEY is missing/);
    expect(findRoleProcesses(folder)).toEqual([]);
  });

  function start(...args: string[]) {
    const child = spawn(process.execPath, [path.join(tools, 'start.ts'), '--folder', folder, ...args]);
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output.text += chunk;
      });
    }
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const told = (): boolean => {
      if (child.exitCode !== null) throw new Error(`start ended: ${output.text}`);
      return output.text.includes('Ctrl-C stops it');
    };
    const up = until('start', () => told() || undefined, 200_000);
    return { child, output, ended, up };
  }

  it('is told by npm start, which stops on a signal', async () => {
    const { child, output, ended, up } = start();
    await up;
    expect(output.text).toMatch(/^Router +http:\/\/127\.0\.0\.1:\d+$/m);
    for (const role of ROLES) expect(output.text).toMatch(new RegExp(`^${role} +ready +local, one-account, process \\d+$`, 'm'));
    expect(output.text).toContain(folder);
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(output.text).toMatch(/stopped\n$/);
    expect(findRoleProcesses(folder)).toEqual([]);
  });

  it('lets in whom --admission says, and does not start on what is no such thing', async () => {
    const file = path.join(folder, 'admission.json');
    const write = (value: unknown): void => writeFileSync(file, JSON.stringify(value));
    write({ limits: { export: { wallet: { count: 1, windowMs: 60_000 } } } });
    const { child, output, ended, up } = start('--admission', file);
    await up;
    const routerUrl = /^Router +(\S+)$/m.exec(output.text)?.[1] ?? '';
    const { wallet } = new TestDevice({ routerUrl, pins: (await readKeys(path.join(folder, 'keys'))).pins });
    await wallet.register();
    const exported = (): Promise<string> => outcomeOf(wallet.exportKey({ format: 'seed-hex' }));
    expect([await exported(), await exported()]).toEqual(['done', 'rate_limited']);
    child.kill('SIGINT');
    await ended;
    write({ limit: {} });
    const refused = start('--admission', file);
    refused.up.catch(() => undefined);
    expect(await refused.ended).toBe(1);
    expect(refused.output.text).toContain('unknown field "limit"');
    const missing = start('--admission', path.join(folder, 'none.json'));
    missing.up.catch(() => undefined);
    expect(await missing.ended).toBe(2);
  });

  it('finds and ends what a killed start has left behind', async () => {
    const { child, ended, up } = start();
    await up;
    child.kill('SIGKILL');
    await ended;
    const orphans = findRoleProcesses(folder).map(({ pid }) => pid);
    expect(orphans).toHaveLength(4);
    const stack = await startStack({ folder });
    expect(orphans.some(isAlive)).toBe(false);
    await stack.stop();
  });
});

describe('keygen', () => {
  beforeEach(makeFolder);
  afterEach(removeFolder);

  const keygen = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(tools, 'keygen.ts'), '--folder', path.join(folder, 'keys'), ...args], {
      encoding: 'utf8',
    });

  it('writes secrets for their owner, pins for everybody, and prints neither', () => {
    const { status, stdout, stderr } = keygen('--deployment', 'production', '--profile', 'two-operators');
    expect([status, stderr]).toEqual([0, '']);
    const keys = path.join(folder, 'keys');
    expect(statSync(keys).mode & 0o777).toBe(0o700);
    const secretFiles = [...ROLES.map((role) => secretFile(keys, role)), path.join(keys, 'operator.secrets.json')];
    const names = [...secretFiles.map((file) => path.basename(file)), 'operator.json', 'pins.json'];
    expect(readdirSync(keys).sort()).toEqual(names.sort());
    for (const file of secretFiles) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      for (const secret of Object.values(JSON.parse(readFileSync(file, 'utf8'))) as string[]) {
        expect(stdout).not.toContain(secret.split(':').at(-1));
      }
    }
    expect(JSON.parse(readFileSync(pinsFile(keys), 'utf8'))).toMatchObject({
      deployment: 'production',
      profile: 'two-operators',
    });
  });

  it('overwrites nothing unless forced to', () => {
    keygen();
    const before = readFileSync(pinsFile(path.join(folder, 'keys')), 'utf8');
    const refused = keygen();
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('pins.json');
    expect(readFileSync(pinsFile(path.join(folder, 'keys')), 'utf8')).toBe(before);
    expect(keygen('--force').status).toBe(0);
    expect(readFileSync(pinsFile(path.join(folder, 'keys')), 'utf8')).not.toBe(before);
  });

  it('lets two operators make their secrets apart, and join their public keys to the same pins', async () => {
    const [one, two] = [path.join(folder, 'one'), path.join(folder, 'two')];
    const own = (at: string, ...args: string[]) => keygen('--folder', at, ...args).status;
    expect(own(one, '--role', 'router', '--role', 'deriver-a', '--role', 'signing-worker')).toBe(0);
    expect(own(two, '--role', 'deriver-b')).toBe(0);
    expect(own(two, '--role', 'deriver-b')).toBe(2);
    expect(readdirSync(two).sort()).toEqual(['deriver-b.public.json', 'deriver-b.secrets.json']);
    // What goes from one operator to the other is this, and no secret.
    const handed = path.join(folder, 'handed');
    mkdirSync(handed);
    for (const role of ROLES) cpSync(publicFile(role === 'deriver-b' ? two : one, role), publicFile(handed, role));
    for (const at of [one, two]) expect(own(at, '--join', handed, '--deployment', 'd', '--profile', 'two-operators')).toBe(0);
    expect(readFileSync(pinsFile(two))).toEqual(readFileSync(pinsFile(one)));
    expect(own(two, '--join', two)).toBe(2);
    expect(own(two, '--join', handed, '--join', one)).toBe(2);

    const secretsOf = (at: string, role: Role) => JSON.parse(readFileSync(secretFile(at, role), 'utf8')) as RoleSecrets;
    const texts = ROLES.flatMap((role) => Object.values(secretsOf(role === 'deriver-b' ? two : one, role)));
    expect(new Set(texts.map((text) => text.split(':').at(-1))).size).toBe(12);
    // Each starts on what is its own and the pins.
    const PEERS = JSON.stringify({ 'deriver-b': 'https://b.example' });
    const PINS = readFileSync(pinsFile(two), 'utf8');
    expect(readConfig('deriver-b', { PINS, ...secretsOf(two, 'deriver-b') }).pins.profile).toBe('two-operators');
    expect(readConfig('deriver-a', { PINS, PEERS, ...secretsOf(one, 'deriver-a') }).pins.deployment).toBe('d');
  });

  it('refuses what it does not know, and explains itself', () => {
    for (const args of [
      ['--role', 'x'],
      ['--role', 'router', '--join', 'x'],
      ['--join', 'nowhere'],
      ['--profile', 'x'],
      ['--deployment', 'a b'],
      ['--unknown'],
      ['stray'],
    ])
      expect(keygen(...args).status).toBe(2);
    const { status, stdout } = keygen('--help');
    expect(status).toBe(0);
    for (const option of ['--folder', '--deployment', '--profile', '--force']) expect(stdout).toContain(option);
    expect(readdirSync(folder)).toEqual([]);
  });
});
