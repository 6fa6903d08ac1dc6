// Builds kernel.wasm from assembly/. Plain JavaScript for Node 20; the same sources give the same bytes.
// Usage: node build-kernel.mjs [output]

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { expandGateHash } from './assembly/gate-hash.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

const OPTIONS = ['-O3', '--converge', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--use', 'abort='];

/** @returns the bytes of the kernel */
export async function buildKernel() {
  let binary;
  const { error, stderr } = await asc.main(['index.ts', ...OPTIONS, '--outFile', 'kernel.wasm'], {
    readFile(name) {
      const place = path.join(here, 'assembly', name);
      try {
        return expandGateHash(readFileSync(place, 'utf8'));
      } catch {
        return null;
      }
    },
    writeFile(name, contents) {
      if (name === 'kernel.wasm') binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`the kernel does not compile:\n${stderr}`);
  return binary;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const output = path.resolve(process.argv[2] ?? path.join(here, 'kernel.wasm'));
  const binary = await buildKernel();
  // A build that is interrupted must not leave half a kernel behind.
  writeFileSync(`${output}.part`, binary);
  renameSync(`${output}.part`, output);
}
