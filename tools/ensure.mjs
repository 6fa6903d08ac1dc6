// Runs a TypeScript program of this repository: `node tools/ensure.mjs tools/demo.ts [arguments]`.
// Plain JavaScript for Node 20, since it has to run before anything is installed. Prints to stderr only.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installationIsStale, outdatedKernels, whileLocked } from './ensure/checks.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const MINIMUM_MAJOR = 24;

const say = (text) => process.stderr.write(`${text}\n`);

function fail(text) {
  say(text);
  process.exit(1);
}

/** Runs a command with its stdout on our stderr, so that a caller's stdout holds nothing but the program's own output. */
function runLoudly(command, args, env) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env });
  if (error) fail(`could not start ${command}: ${error.message}`);
  if (status !== 0) fail(`"${[command, ...args].join(' ')}" failed; see its output above`);
}

function install() {
  say('installing dependencies (npm ci)');
  // npm would otherwise run on the very Node binary that it is about to replace.
  const bin = path.join(root, 'node_modules', '.bin');
  const searched = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.resolve(folder) !== bin);
  runLoudly('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    ...process.env,
    PATH: searched.join(path.delimiter),
  });
}

/** The Node of the lock file where this platform has one, else the one that runs this file. */
function chooseNode() {
  const own = path.join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return realpathSync(own);
  if (Number.parseInt(process.versions.node, 10) >= MINIMUM_MAJOR) return process.execPath;
  return fail(
    `Streaming Yao needs Node ${MINIMUM_MAJOR} or newer and this is ${process.version}. ` +
      'On Linux (x64, arm64) it is installed with the dependencies; here, install it from https://nodejs.org and run the command again.',
  );
}

async function ensure() {
  if (!installationIsStale(root) && outdatedKernels(root).length === 0) return false;
  const state = path.join(root, '.streaming-yao');
  await mkdir(state, { recursive: true });
  return whileLocked(path.join(state, 'ensure.lock'), say, () => {
    const installed = installationIsStale(root);
    if (installed) install();
    for (const kernel of outdatedKernels(root)) {
      say(`building ${kernel.output}`);
      runLoudly(chooseNode(), [kernel.script], process.env);
    }
    return installed;
  });
}

/** Becomes the program as far as the caller can tell: arguments, streams, signals, exit code. */
function become(node, script, args) {
  const child = spawn(node, [script, ...args], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`could not start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const forwarded of signals) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
    // Only reached for signals that do not end a process by themselves.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

const [script, ...args] = process.argv.slice(2);
if (script === undefined) fail('usage: node tools/ensure.mjs <program.ts> [arguments]');
const program = path.resolve(script);
if (!existsSync(program)) fail(`${script} does not exist`);

const installed = await ensure();
const node = chooseNode();
if (!installed && realpathSync(process.execPath) === node) {
  process.argv.splice(1, 2, program);
  await import(pathToFileURL(program).href);
} else {
  become(node, program, args);
}
