// Compiles assembly/ to group.wasm. Runs under any Node from 20 on; the same sources give the same bytes.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { fieldProducts } from './assembly/products.mjs';
import { sha512Constants } from './assembly/sha512-constants.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const output = join(folder, 'group.wasm');

/** @returns the module's bytes */
export async function compileGroup() {
  let binary;
  const generated = { 'assembly/products.ts': fieldProducts, 'assembly/sha512-constants.ts': sha512Constants };
  const read = async (name) => generated[name]?.() ?? readFile(join(folder, name), 'utf8').catch(() => null);
  const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort='];
  const { error, stderr } = await asc.main(['assembly/index.ts', '--outFile', 'group.wasm', ...options], {
    readFile: read,
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${error.message}\n${stderr}`);
  return binary;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Written aside, then moved: whoever loads the module meanwhile never sees half of it.
  const aside = `${output}.${process.pid}`;
  await writeFile(aside, await compileGroup());
  await rename(aside, output);
}
