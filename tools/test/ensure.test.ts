import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installationIsStale, outdatedKernels, whileLocked } from '../ensure/checks.mjs';

const repository = path.resolve(import.meta.dirname, '../..');
const ensure = path.join(repository, 'tools/ensure.mjs');
const EMPTY_WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ensure-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(place: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(path.join(root, place)), { recursive: true });
  writeFileSync(path.join(root, place), content);
}

const entry = (version: string, more: object = {}) => ({ version, integrity: `sha512-${version}`, ...more });
const elsewhere = process.platform === 'linux' ? 'darwin' : 'linux';

function writeInstallation(wanted: object, found: object | undefined): void {
  write('package-lock.json', JSON.stringify({ packages: { '': { version: '0' }, ...wanted } }));
  if (found === undefined) return;
  write('node_modules/.package-lock.json', JSON.stringify({ packages: found }));
  for (const place of Object.keys(found)) write(`${place}/package.json`, '{}');
}

describe('installationIsStale', () => {
  const both = { 'node_modules/a': entry('1.0.0'), 'node_modules/b': entry('2.0.0') };

  it('accepts what the lock says', () => {
    writeInstallation(both, both);
    expect(installationIsStale(root)).toBe(false);
  });

  it.each([
    ['no record of an installation, as an interrupted one leaves', undefined],
    ['a missing package', { 'node_modules/a': entry('1.0.0') }],
    ['another version', { ...both, 'node_modules/b': entry('2.0.1') }],
    ['another content under the same version', { ...both, 'node_modules/b': { version: '2.0.0', integrity: 'sha512-x' } }],
    ['a package that the lock no longer has', { ...both, 'node_modules/c': entry('1.0.0') }],
  ])('notices %s', (_, found) => {
    writeInstallation(both, found);
    expect(installationIsStale(root)).toBe(true);
  });

  it('notices a package whose folder has gone', () => {
    writeInstallation(both, both);
    rmSync(path.join(root, 'node_modules/a'), { recursive: true });
    expect(installationIsStale(root)).toBe(true);
  });

  it('expects optional packages of this platform only', () => {
    const foreign = { 'node_modules/foreign': entry('1.0.0', { optional: true, os: elsewhere }) };
    const own = { 'node_modules/own': entry('1.0.0', { optional: true, os: [process.platform], cpu: process.arch }) };
    writeInstallation({ ...both, ...foreign }, both);
    expect(installationIsStale(root)).toBe(false);
    writeInstallation({ ...both, ...foreign, ...own }, both);
    expect(installationIsStale(root)).toBe(true);
  });

  it('finds this very repository installed', () => {
    expect(installationIsStale(repository)).toBe(false);
  });
});

describe('outdatedKernels', () => {
  const kernel = { script: 'build.mjs', output: 'kernel.wasm', sources: ['assembly'] };
  const at = (place: string, seconds: number) => utimesSync(path.join(root, place), seconds, seconds);

  beforeEach(() => {
    write('build.mjs', '');
    write('assembly/deep/index.ts', '');
    write('kernel.wasm', EMPTY_WASM);
    for (const place of ['build.mjs', 'assembly/deep/index.ts', 'assembly/deep', 'assembly']) at(place, 1_000);
    at('kernel.wasm', 2_000);
  });

  it('keeps a kernel that is newer than its sources', () => {
    expect(outdatedKernels(root, [kernel])).toEqual([]);
  });

  it('rebuilds a missing kernel, one cut short, and one older than a source or its build script', () => {
    for (const change of [
      () => rmSync(path.join(root, 'kernel.wasm')),
      () => write('kernel.wasm', EMPTY_WASM.subarray(0, 6)),
      () => write('kernel.wasm', ''),
    ]) {
      change();
      expect(outdatedKernels(root, [kernel])).toEqual([kernel]);
    }
    write('kernel.wasm', EMPTY_WASM);
    for (const source of ['assembly/deep/index.ts', 'build.mjs']) {
      at('kernel.wasm', 2_000);
      at(source, 3_000);
      expect(outdatedKernels(root, [kernel])).toEqual([kernel]);
      at(source, 1_000);
    }
  });
});

describe('whileLocked', () => {
  it('lets one in at a time, also after a holder that died', async () => {
    const lock = path.join(root, 'lock');
    mkdirSync(lock);
    // Process numbers end far below this one.
    writeFileSync(path.join(lock, 'holder'), String(2 ** 30));
    let inside = 0;
    let largest = 0;
    const work = async () => {
      largest = Math.max(largest, ++inside);
      await new Promise((done) => setTimeout(done, 20));
      inside--;
    };
    await Promise.all(Array.from({ length: 4 }, () => whileLocked(lock, () => undefined, work)));
    expect(largest).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  it('frees the lock when the work fails', async () => {
    const lock = path.join(root, 'lock');
    await expect(
      whileLocked(
        lock,
        () => undefined,
        () => Promise.reject(new Error('broken')),
      ),
    ).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });
});

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program through ensure.mjs; `meet` sees the process once the program has printed its first line. */
function runProgram(source: string, args: readonly string[], meet: (pid: number) => void = () => undefined): Promise<Ending> {
  write('program.ts', source);
  const child = spawn(process.execPath, [ensure, path.join(root, 'program.ts'), ...args]);
  let stdout = '';
  let stderr = '';
  let met = false;
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (!met) meet(child.pid as number);
    met = true;
  });
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

describe('ensure.mjs', () => {
  it('passes arguments, standard output and exit code through, and prints nothing of its own', async () => {
    const source = 'const args: string[] = process.argv.slice(2);\nconsole.log(JSON.stringify(args));\nprocess.exitCode = 7;';
    expect(await runProgram(source, ['--json', 'two words'])).toEqual({
      code: 7,
      signal: null,
      stdout: '["--json","two words"]\n',
      stderr: '',
    });
  });

  it('runs the program under Node 24 or newer', async () => {
    const { stdout } = await runProgram('console.log(process.versions.node);', []);
    expect(Number.parseInt(stdout, 10)).toBeGreaterThanOrEqual(24);
  });

  it('hands signals on and ends by the signal that ended the program', async () => {
    const handled = "process.on('SIGTERM', () => process.exit(3));\nconsole.log('up');\nsetInterval(() => undefined, 1000);";
    expect((await runProgram(handled, [], (pid) => process.kill(pid, 'SIGTERM'))).code).toBe(3);
    const unhandled = "console.log('up');\nsetInterval(() => undefined, 1000);";
    expect((await runProgram(unhandled, [], (pid) => process.kill(pid, 'SIGTERM'))).signal).toBe('SIGTERM');
  });

  it('says how it is used', async () => {
    const child = spawn(process.execPath, [ensure]);
    const said: string[] = [];
    child.stderr.on('data', (chunk) => said.push(String(chunk)));
    const code = await new Promise((done) => child.on('close', done));
    expect([code, said.join('')]).toEqual([1, 'usage: node tools/ensure.mjs <program.ts> [arguments]\n']);
  });

  // "exec" leaves no shell between npm and the program: npm hands its signals to the one and they would not reach the other.
  it('is what every npm script goes through', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
    for (const command of Object.values(scripts)) expect(command).toMatch(/^exec node tools\/ensure\.mjs \S+\.ts$/);
  });
});
