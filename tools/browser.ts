import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

interface Executable {
  readonly executablePath: string;
  readonly env?: Record<string, string>;
}

const cache = path.join(path.dirname(import.meta.dirname), '.streaming-yao');

function untar(archive: Buffer, folder: string): void {
  const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: archive });
  if (status !== 0) throw new Error(`could not unpack a part of the browser: ${stderr}`);
}

/** Unpacks the headless Chromium that comes with the dependencies, once, beside the project's other state. */
async function bundledBrowser(): Promise<Executable> {
  const packed = path.join(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin');
  const { version } = JSON.parse(await readFile(path.join(packed, '..', 'package.json'), 'utf8')) as { version: string };
  const folder = path.join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    // An interrupted or parallel unpacking must not leave half a browser under the final name.
    const part = `${folder}.${process.pid}.part`;
    await mkdir(part, { recursive: true });
    const unpacked = async (name: string) => brotliDecompressSync(await readFile(path.join(packed, name)));
    await writeFile(path.join(part, 'chromium'), await unpacked('chromium.br'), { mode: 0o755 });
    for (const archive of ['fonts.tar.br', 'al2023.tar.br', 'swiftshader.tar.br']) untar(await unpacked(archive), part);
    await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }));
  }
  const executablePath = path.join(folder, 'chromium');
  const libraries = spawnSync('ldd', [executablePath], { encoding: 'utf8' });
  const lacking = libraries.status !== 0 || libraries.stdout.includes('not found');
  // The host's own libraries, where it has them all, fit the host better than those that come along.
  return {
    executablePath,
    env: { FONTCONFIG_PATH: path.join(folder, 'fonts'), ...(lacking && { LD_LIBRARY_PATH: path.join(folder, 'lib') }) },
  };
}

async function findBrowser(): Promise<Executable> {
  const wanted = process.env.CHROMIUM_PATH;
  if (wanted) return { executablePath: wanted };
  const system = SYSTEM_BROWSERS.find((file) => existsSync(file));
  if (system) return { executablePath: system };
  if (process.platform === 'linux' && process.arch === 'x64') return bundledBrowser();
  throw new Error('no Chromium found: install Chromium or Google Chrome, or set CHROMIUM_PATH to the executable');
}

/**
 * Starts a headless Chromium: the one in `CHROMIUM_PATH`, else one of the system, else the one from the dependencies.
 * The caller closes it.
 */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  // Chromium refuses to run as root inside its sandbox; these browsers load nothing but this project's own pages.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({
    executablePath,
    headless: true,
    args: [...sandbox, '--disable-dev-shm-usage', ...args],
    env: { ...process.env, ...env } as Record<string, string>,
  });
}
