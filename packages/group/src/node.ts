import { readFileSync } from 'node:fs';
import { YaoError } from '@streaming-yao/core';
import type { Group } from './group.ts';
import { createGroup } from './wasm-group.ts';

let module: WebAssembly.Module | undefined;

/**
 * The group for Node, on the group.wasm that `npm run build` makes. Each call gives an instance of its own.
 * @throws YaoError `not_ready` when it has not been built
 */
export function loadGroup(): Group {
  module ??= new WebAssembly.Module(readWasm());
  return createGroup(module);
}

function readWasm(): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(new URL('../group.wasm', import.meta.url)));
  } catch {
    throw new YaoError('not_ready', 'packages/group/group.wasm is missing; run "npm run build"');
  }
}
