// Compiles assembly/ to kernel.wasm. Runs under any Node from 20 on; the same sources give the same bytes.
// Usage: node build-kernel.mjs [output]

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { expandGateHash } from './assembly/gate-hash.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort='];

/**
 * @param {Record<string, string>} [replaced] sources by file name that stand in for files of assembly/
 * @returns {Promise<Uint8Array>} the bytes of the kernel
 */
export async function compileKernel(replaced = {}) {
  let binary;
  const source = (name) => {
    const file = path.join(here, 'assembly', name);
    try {
      return expandGateHash(replaced[name] ?? readFileSync(file, 'utf8'));
    } catch {
      return null;
    }
  };
  const { error, stderr } = await asc.main(['index.ts', '--outFile', 'kernel.wasm', ...OPTIONS], {
    readFile: source,
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`the kernel does not compile:\n${stderr}`);
  return binary;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const output = path.resolve(process.argv[2] ?? path.join(here, 'kernel.wasm'));
  // Written aside, then moved: whoever loads the kernel meanwhile never sees half of it.
  const aside = `${output}.${process.pid}`;
  writeFileSync(aside, await compileKernel());
  renameSync(aside, output);
}
