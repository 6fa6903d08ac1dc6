import { execFile } from 'node:child_process';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fromHex, toHex } from '@streaming-yao/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../tools/bundle.ts';
import { pinsFile } from '../../tools/keys.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-command-line-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const options = { env: { ...process.env, ...environment }, cwd: repository };
  return new Promise((resolve) => {
    execFile(process.execPath, ['tools/yao.ts', ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** One device: its state, and what it was told of the deployment. */
const on =
  (device: string, environment: Record<string, string> = {}) =>
  async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { stdout, stderr, code } = await run([...args, '--state', path.join(folder, device), '--json'], environment);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  };

const place = (): readonly string[] => [
  '--router',
  shared.stack.routerUrl,
  '--pins',
  pinsFile(path.join(shared.stack.folder, 'keys')),
];

function verifies(publicKey: unknown, message: Uint8Array, signature: unknown): boolean {
  const x = Buffer.from(fromHex(String(publicKey))).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, fromHex(String(signature)));
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a whole life: register, sign, refresh, link, recover, export, revoke', { timeout: 240_000 }, async () => {
  const [laptop, phone, tablet] = [on('laptop'), on('phone'), on('tablet')];
  const { walletId, publicKey, phrase, derivationConfirmed } = await laptop(
    'register',
    '--recovery',
    '--name',
    'laptop',
    ...place(),
  );
  expect(derivationConfirmed).toBe(true);
  expect(String(phrase).split(' ')).toHaveLength(24);

  const first = await laptop('sign', 'hello');
  expect(verifies(publicKey, bytes('hello'), first.signature)).toBe(true);
  expect(await laptop('refresh')).toMatchObject({ publicKey, lane: 1, epoch: 3, derivationConfirmed: true });
  const { ceremonyId } = await laptop('status');
  const ended = await laptop('status', String(ceremonyId));
  expect(ended).toMatchObject({ ceremonyId, operation: 'refresh', state: 'completed', failure: null });
  const second = await laptop('sign', '--hex', '00ff');
  expect(verifies(publicKey, Uint8Array.of(0, 255), second.signature)).toBe(true);

  const { offer } = await phone('link', 'offer', ...place(), '--wallet', String(walletId));
  const { approval } = await laptop('link', 'approve', String(offer));
  expect(await phone('link', 'accept', String(approval))).toMatchObject({ publicKey, lane: 2, epoch: 1 });
  const file = path.join(folder, 'message');
  await writeFile(file, 'from a file');
  expect(verifies(publicKey, bytes('from a file'), (await phone('sign', '--file', file)).signature)).toBe(true);

  const words = path.join(folder, 'phrase');
  await writeFile(words, String(phrase), { mode: 0o600 });
  const wallet = ['--wallet', String(walletId)];
  expect(await tablet('recover', '--keep-lanes', '--phrase-file', words, ...place(), ...wallet)).toMatchObject({
    publicKey,
    lane: 3,
  });
  const { lanes } = (await tablet('lanes')) as { lanes: readonly { lane: number; own: boolean }[] };
  expect(lanes.map(({ lane, own }) => [lane, own])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ]);
  await tablet('lanes', 'name', '2', 'old phone');
  const named = (await tablet('lanes', 'name', 'tablet')) as { lanes: readonly { name: string | null }[] };
  expect(named.lanes.map(({ name }) => name)).toEqual(['laptop', 'old phone', 'tablet']);
  expect(await tablet('revoke', '2')).toEqual({ revoked: 2 });
  await expect(phone('sign', 'stolen')).rejects.toThrow('epoch_retired');

  const listed = (await tablet('credentials')) as { credentials: readonly { id: string; purpose: string }[] };
  expect(listed.credentials.map(({ purpose }) => purpose)).toEqual(['device', 'recovery', 'device']);
  const { credentials } = (await tablet('credentials', 'remove', String(listed.credentials[0]?.id))) as typeof listed;
  expect(credentials).toHaveLength(2);
  await expect(laptop('refresh')).rejects.toThrow('authorization_invalid');

  const pem = path.join(folder, 'key.pem');
  await tablet('export', '--format', 'pkcs8-pem', '--out', pem);
  expect((await stat(pem)).mode & 0o777).toBe(0o600);
  const { x } = createPublicKey(createPrivateKey(await readFile(pem, 'utf8'))).export({ format: 'jwk' });
  expect(toHex(new Uint8Array(Buffer.from(String(x), 'base64url')))).toBe(publicKey);
  const { key } = await tablet('export', '--format', 'seed-hex');
  expect(String(key)).toMatch(/^[0-9a-f]{64}$/);
});

test('a signing session: open, list, sign in it, close', { timeout: 240_000 }, async () => {
  const device = on('budget');
  const { publicKey } = await device('register', ...place());
  const opened = await device('session', 'open', '--uses', '2', '--minutes', '5', '--kinds', 'text,near-delegate');
  expect(opened).toMatchObject({ uses: 2, usesLeft: 2, kinds: ['text', 'near-delegate'] });
  const session = ['--session', String(opened.sessionId)];
  const miss = await device('sign', 'hello', '--explain', ...session);
  expect(miss.explanation).toMatchObject({ poolHit: false, requests: 1, usesLeft: 1 });
  expect(verifies(publicKey, bytes('hello'), miss.signature)).toBe(true);
  await expect(device('sign', '--hex', '00', ...session)).rejects.toThrow('kind_refused');
  const hit = await device('sign', 'hello', '--explain', '--prefetch', ...session);
  expect(hit.explanation).toEqual({ poolHit: true, requests: 1, presignsLeft: 15, usesLeft: 0 });
  expect(await device('session', 'list')).toMatchObject({ sessions: [{ sessionId: opened.sessionId, usesLeft: 0 }] });
  await expect(device('sign', 'hello', ...session)).rejects.toThrow(/budget_exhausted[\s\S]*session open/);
  expect(await device('session', 'close', String(opened.sessionId))).toEqual({ sessions: [] });
  await expect(device('sign', 'hello', ...session)).rejects.toThrow('session_unknown');
  expect((await device('sign', 'hello', '--explain')).explanation).toMatchObject({ usesLeft: null });
  const told = await run(['sign', 'hello', '--explain', '--quiet', '--state', path.join(folder, 'budget')]);
  expect(told.stdout.split('\n').slice(1, 3)).toEqual([
    expect.stringContaining('miss'),
    expect.stringContaining('presigns left'),
  ]);
});

describe('what lies on the disk', () => {
  test('is for its owner alone, and sealed under a passphrase where one is given', { timeout: 240_000 }, async () => {
    const sealed = on('sealed', { YAO_PASSPHRASE: 'correct horse' });
    const { publicKey } = await sealed('register', ...place());
    const place_ = path.join(folder, 'sealed');
    const files = await readdir(place_, { recursive: true, withFileTypes: true });
    for (const entry of files.filter((each) => each.isFile()))
      expect((await stat(path.join(entry.parentPath, entry.name))).mode & 0o077).toBe(0);
    expect(await readFile(path.join(place_, 'key.json'), 'utf8')).not.toContain('"key"');
    expect(await sealed('status')).toMatchObject({ publicKey });
    await expect(on('sealed')('status')).rejects.toThrow('unlock_failed');
    await expect(on('sealed', { YAO_PASSPHRASE: 'wrong' })('status')).rejects.toThrow('unlock_failed');
    expect(await sealed('status')).toMatchObject({ publicKey });
  });
});

describe('errors', () => {
  const state = (): readonly string[] => ['--state', path.join(folder, 'errors')];

  test.each([
    [[], 2, 'which command?'],
    [['steal'], 2, 'there is no command "steal"'],
    [['sign', '--nonsense'], 2, 'nonsense'],
    [['recover'], 2, '--phrase-file'],
  ] as const)('%j ends with %i and says why', async (args, code, why) => {
    const ran = await run([...args, ...state()]);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(why);
    expect(ran.stderr).toContain('npm run yao');
  });

  test.each([
    [['status'], 'invalid_request', '--router'],
    [['status', '--router', 'http://127.0.0.1:1'], 'invalid_request', '--pins'],
    [['sign', 'text'], 'not_ready', 'run "register"'],
    [['export', '--format', 'pem'], 'unknown_format', 'solana-base58'],
    [['status', '00'.repeat(32)], 'ceremony_unknown', 'docs/errors.md'],
    [['lanes', 'name'], 'invalid_request', 'lanes name LANE NAME'],
    [['credentials', 'remove', 'x'], 'invalid_request', 'credentials remove ID'],
    [['session', 'close', 'x'], 'invalid_request', 'session list'],
    [['session', 'open', '--kinds', 'money'], 'invalid_request', 'solana-transaction'],
    [['session'], 'invalid_request', 'session open'],
    [['link', 'approve', 'x'], 'invalid_request', 'offer'],
  ] as const)('%j is %s, with the next step', async (args, code, next) => {
    const known = next.startsWith('--') ? [] : place();
    const ran = await run([...args, ...state(), ...known, '--json']);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code } });
    expect(ran.stderr).toContain(next);
  });

  test('a Router that is not there', async () => {
    const ran = await run(['register', ...place(), '--router', 'http://127.0.0.1:1', '--state', path.join(folder, 'nowhere')]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/peer_failed: .*\n {2}.*npm start/);
  });
});

test('--help of a command speaks of that one and of the options', async () => {
  const { stdout } = await run(['recover', '--help']);
  expect(stdout).toContain('--keep-lanes');
  expect(stdout).toContain('--json');
  expect(stdout).not.toContain('link approve');
});

test('--help names every command and asks nobody', async () => {
  const { code, stdout, stderr } = await run(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  for (const command of [
    'register',
    'sign',
    'session open',
    'session list',
    'refresh',
    'recover',
    'link offer',
    'link approve',
    'link accept',
    'export',
    'lanes',
    'revoke',
    'credentials',
    'status',
    'resume',
  ])
    expect(stdout).toContain(`  ${command}`);
});
