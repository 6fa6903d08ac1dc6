import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { launchBrowser } from '../../../tools/browser.ts';
import { bundleWorker } from '../../../tools/bundle.ts';
import type { SuiteReport } from './suite.ts';

const packages = path.join(import.meta.dirname, '..', '..');
const MODULES = {
  'kernel.wasm': path.join(packages, 'engine', 'kernel.wasm'),
  'group.wasm': path.join(packages, 'group', 'group.wasm'),
};

async function bundle(entry: string, platform: 'node' | 'browser'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    target: platform === 'node' ? 'node20' : 'es2023',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Runs the suite in a process of the Node at `executable`. */
export async function runInNode(executable: string): Promise<SuiteReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-'));
  try {
    // The modules lie above the bundle as they lie above the sources.
    const file = path.join(folder, 'bundle', 'suite.mjs');
    await mkdir(path.dirname(file));
    await writeFile(file, await bundle('node-entry.ts', 'node'));
    for (const [name, source] of Object.entries(MODULES)) await copyFile(source, path.join(folder, name));
    const { stdout } = await promisify(execFile)(executable, [file], { maxBuffer: 1 << 20 });
    return JSON.parse(stdout) as SuiteReport;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the suite in workerd, the runtime of Cloudflare Workers, the kernel as a module import. */
export async function runInWorkerd(): Promise<SuiteReport> {
  const { code, wasm } = await bundleWorker(path.join(import.meta.dirname, 'worker-entry.ts'));
  const miniflare = new Miniflare({
    compatibilityDate: '2026-07-30',
    modules: [
      { type: 'ESModule', path: 'suite.mjs', contents: code },
      ...[...wasm].map(([name, contents]) => ({ type: 'CompiledWasm' as const, path: name, contents })),
    ],
  });
  try {
    const response = await miniflare.dispatchFetch('http://localhost/');
    return (await response.json()) as SuiteReport;
  } finally {
    await miniflare.dispose();
  }
}

/** Runs the suite on a page in Chromium whose content policy allows nothing but its own script and WebAssembly. */
export async function runInBrowser(): Promise<SuiteReport> {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
  const files: Readonly<Record<string, { type: string; body: string | Buffer }>> = {
    '/': { type: 'text/html', body: '<!doctype html><script type="module" src="suite.js"></script>' },
    '/suite.js': { type: 'text/javascript', body: await bundle('browser-entry.ts', 'browser') },
    '/kernel.wasm': { type: 'application/wasm', body: await readFile(MODULES['kernel.wasm']) },
    '/group.wasm': { type: 'application/wasm', body: await readFile(MODULES['group.wasm']) },
  };
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain', 'content-security-policy': policy });
    response.end(file?.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => 'conformance' in globalThis);
    return await page.evaluate<SuiteReport>('globalThis.conformance');
  } finally {
    await browser.close();
    server.close();
  }
}
