import { readFileSync } from 'node:fs';
import { createKernel, type Kernel } from './kernel/kernel.ts';

/** Compiles `kernel.wasm` of this package, for Node. The kernel can make any number of parties. */
export function loadKernel(): Kernel {
  return createKernel(new WebAssembly.Module(readFileSync(new URL('../kernel.wasm', import.meta.url))));
}
