// What ensure.mjs decides, apart from what it does: plain JavaScript for Node 20.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** The WebAssembly kernels, each built from source by its own script. */
export const KERNELS = [
  { script: 'packages/engine/build-kernel.mjs', output: 'packages/engine/kernel.wasm', sources: ['packages/engine/assembly'] },
  { script: 'packages/group/build-group.mjs', output: 'packages/group/group.wasm', sources: ['packages/group/assembly'] },
];

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

function listed(wordOrWords, word) {
  if (wordOrWords === undefined) return true;
  const words = [wordOrWords].flat();
  if (words.includes(`!${word}`)) return false;
  return words.some((entry) => entry.startsWith('!')) || words.includes(word);
}

const libc = () => (process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc');

/** Whether npm must have installed a lock entry on this platform; of optional ones only those made for it are sure to be there. */
function belongsHere(entry) {
  if (!entry.optional) return true;
  if (entry.os === undefined && entry.cpu === undefined) return false;
  if (!listed(entry.os, process.platform) || !listed(entry.cpu, process.arch)) return false;
  return process.platform !== 'linux' || listed(entry.libc, libc());
}

/**
 * Whether `node_modules` differs from `package-lock.json`. npm writes `node_modules/.package-lock.json` last,
 * so an interrupted installation has none or an old one.
 */
export function installationIsStale(root) {
  const wanted = readJson(path.join(root, 'package-lock.json')).packages;
  let found;
  try {
    found = readJson(path.join(root, 'node_modules', '.package-lock.json')).packages;
  } catch {
    return true;
  }
  const expected = Object.entries(wanted).filter(([place, entry]) => place.startsWith('node_modules/') && belongsHere(entry));
  const differs = ([place, entry]) => {
    const there = found[place];
    if (there === undefined || !existsSync(path.join(root, place, 'package.json'))) return true;
    return there.version !== entry.version || there.integrity !== entry.integrity || there.link !== entry.link;
  };
  return expected.some(differs) || Object.keys(found).some((place) => wanted[place] === undefined);
}

function newestChange(place) {
  const facts = statSync(place);
  if (!facts.isDirectory()) return facts.mtimeMs;
  return readdirSync(place).reduce((newest, name) => Math.max(newest, newestChange(path.join(place, name))), facts.mtimeMs);
}

/** Kernels that are missing, cut short by an interrupted build, or older than what they are built from. */
export function outdatedKernels(root, kernels = KERNELS) {
  return kernels.filter(({ script, output, sources }) => {
    const built = path.join(root, output);
    if (!existsSync(built) || !WebAssembly.validate(readFileSync(built))) return true;
    const age = statSync(built).mtimeMs;
    return [script, ...sources].some((source) => newestChange(path.join(root, source)) > age);
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function takesFolder(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderLives(lock, holderFile) {
  const holder = Number.parseInt(existsSync(holderFile) ? readFileSync(holderFile, 'utf8') : '', 10);
  // A holder that has not written its number yet has only just come.
  return Number.isNaN(holder) ? Date.now() - statSync(lock).mtimeMs < 5_000 : isAlive(holder);
}

/** Whether the holder of `lock` has died and we have taken its place; a folder inside lets one heir at a time try. */
function inherits(lock, holderFile) {
  const heir = path.join(lock, 'heir');
  if (holderLives(lock, holderFile) || !takesFolder(heir)) return false;
  try {
    // Another heir may have come and gone since the first look.
    if (holderLives(lock, holderFile)) return false;
    writeFileSync(holderFile, String(process.pid));
    return true;
  } finally {
    rmSync(heir, { recursive: true });
  }
}

/** Runs `work` while no other process does; `lock` is a folder, which is the one thing every file system makes atomically. */
export async function whileLocked(lock, say, work) {
  const holderFile = path.join(lock, 'holder');
  for (let told = false; ; ) {
    try {
      if (takesFolder(lock) || inherits(lock, holderFile)) break;
    } catch (error) {
      // The holder removed its folder between two of our looks.
      if (error.code !== 'ENOENT') throw error;
    }
    if (!told) say(`waiting for another run to finish installing (${lock})`);
    told = true;
    await wait(200);
  }
  try {
    writeFileSync(holderFile, String(process.pid));
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
