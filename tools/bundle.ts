import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Role } from '@streaming-yao/wire';
import { build, type Plugin } from 'esbuild';

/** A Worker ready to run: one ES module, and the WebAssembly modules that it imports by name. */
export interface WorkerBundle {
  readonly code: string;
  readonly wasm: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Source files of this repository that went in, relative to its root. */
  readonly inputs: readonly string[];
}

export const repository = path.dirname(import.meta.dirname);

export const roleEntry = (role: Role): string => path.join(repository, 'packages', 'workers', 'src', 'roles', `${role}.ts`);

/** Leaves `*.wasm` imports in place: workerd compiles modules, never bytes. */
function wasmModules(found: Map<string, Uint8Array<ArrayBuffer>>): Plugin {
  return {
    name: 'wasm-modules',
    setup(plugins) {
      plugins.onResolve({ filter: /\.wasm$/ }, async ({ path: wanted, resolveDir, kind, pluginData }) => {
        if (pluginData === 'resolving') return undefined;
        const resolved = await plugins.resolve(wanted, { resolveDir, kind, pluginData: 'resolving' });
        if (resolved.errors.length > 0) return { errors: resolved.errors };
        const name = path.basename(resolved.path);
        found.set(name, Uint8Array.from(await readFile(resolved.path)));
        return { path: `./${name}`, external: true };
      });
    },
  };
}

/** Bundles a Worker from its entry file. */
export async function bundleWorker(entry: string, { minify = false } = {}): Promise<WorkerBundle> {
  const wasm = new Map<string, Uint8Array<ArrayBuffer>>();
  const result = await build({
    entryPoints: [entry],
    absWorkingDir: repository,
    bundle: true,
    write: false,
    metafile: true,
    minify,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [wasmModules(wasm)],
    logLevel: 'silent',
  });
  const [output] = result.outputFiles;
  return { code: output?.text ?? '', wasm, inputs: Object.keys(result.metafile.inputs) };
}

const ofRoles = new Map<Role, Promise<WorkerBundle>>();

/** A role's Worker, bundled once per process. */
export function bundleRole(role: Role): Promise<WorkerBundle> {
  const bundle = ofRoles.get(role) ?? bundleWorker(roleEntry(role));
  ofRoles.set(role, bundle);
  return bundle;
}

/** Bytes that Cloudflare counts for an upload: all modules, compressed. */
export function gzipBytes({ code, wasm }: WorkerBundle): number {
  return [Buffer.from(code), ...wasm.values()].reduce((sum, module) => sum + gzipSync(module).length, 0);
}

/** What an app's page loads to have wallets: the client library for browsers with all that it needs, in bytes compressed. */
export async function clientBytes(): Promise<number> {
  const client = path.join(repository, 'packages', 'client', 'src');
  const { outputFiles } = await build({
    stdin: { contents: "export * from './index.ts'; export * from './browser.ts';", resolveDir: client, loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['browser'],
    logLevel: 'silent',
  });
  const group = await readFile(path.join(repository, 'packages', 'group', 'group.wasm'));
  return [...outputFiles.map(({ contents }) => contents), group].reduce((sum, file) => sum + gzipSync(file).length, 0);
}
