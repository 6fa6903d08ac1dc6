import { gzipSync } from 'node:zlib';
import { LIMITS } from '@streaming-yao/core';
import { ROLES } from '@streaming-yao/wire';
import { build } from 'esbuild';
import { bundleWorker, gzipBytes, repository, roleEntry } from '../tools/bundle.ts';
import { exact, type Figure, type Progress } from './figure.ts';

const kib = (bytes: number): number => bytes / 1024;

/** What a browser has to load for the client: one minified module, and the WebAssembly beside it. */
async function clientBundleBytes(): Promise<number> {
  const result = await build({
    stdin: {
      contents:
        "export * from '@streaming-yao/client'; export { createGroup } from '@streaming-yao/group'; export { default } from '@streaming-yao/group/group.wasm';",
      resolveDir: `${repository}/packages/client`,
    },
    absWorkingDir: repository,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'browser',
    loader: { '.wasm': 'file' },
    outdir: 'out',
    logLevel: 'silent',
  });
  return result.outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).length, 0);
}

/** Sizes of what is uploaded to a Worker and loaded by a browser, compressed. */
export async function sizeFigures(progress: Progress): Promise<readonly Figure[]> {
  progress('size: bundles');
  const sizes = await Promise.all(ROLES.map(async (role) => gzipBytes(await bundleWorker(roleEntry(role), { minify: true }))));
  return [
    exact('worker_bundle_kib_max', 'KiB', kib(Math.max(...sizes))),
    ...ROLES.map((role, i) => exact(`worker_bundle_kib_${role}`, 'KiB', kib(sizes[i] ?? 0))),
    exact('client_bundle_kib', 'KiB', kib(await clientBundleBytes())),
    exact('frame_bytes_max', 'bytes', LIMITS.frameBytes),
  ];
}
