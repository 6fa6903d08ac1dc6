import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Pins } from '@streaming-yao/wire';
import { build } from 'esbuild';

const source = path.join(import.meta.dirname, 'src');
const group = createRequire(import.meta.url).resolve('@streaming-yao/group/group.wasm');

export interface PageOptions {
  /** The deployment's verification keys: they are part of the page. */
  readonly pins: Pins;
  /** Where the page's files go. */
  readonly folder: string;
}

/** Builds the wallet page of a deployment. @returns its files with their sizes as sent, in bytes */
export async function buildPage({ pins, folder }: PageOptions): Promise<ReadonlyMap<string, number>> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: { page: path.join(source, 'main.ts') },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    define: { DEPLOYMENT_PINS: JSON.stringify(JSON.stringify(Pins.toJson(pins))) },
    logLevel: 'silent',
  });
  await build({
    entryPoints: { page: path.join(source, 'styles', 'page.css') },
    outdir: folder,
    bundle: true,
    minify: true,
    logLevel: 'silent',
  });
  for (const name of ['index.html', 'icon.svg']) await copyFile(path.join(source, name), path.join(folder, name));
  await writeFile(path.join(folder, 'group.wasm'), await readFile(group));
  const files = ['index.html', 'page.js', 'page.css', 'icon.svg', 'group.wasm'];
  const sizes = files.map(async (name) => [name, gzipSync(await readFile(path.join(folder, name))).length] as const);
  return new Map(await Promise.all(sizes));
}
