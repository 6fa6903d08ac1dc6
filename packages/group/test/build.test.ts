import { toHex } from '@streaming-yao/core';
import { expect, it } from 'vitest';
import { compileGroup } from '../build-group.mjs';
import { wasm } from './fixtures.ts';

it('building again gives the bytes that are in use', async () => {
  expect(toHex(await compileGroup())).toBe(toHex(wasm()));
}, 180_000);

it('the module imports nothing, so that any host can instantiate it', () => {
  expect(WebAssembly.Module.imports(new WebAssembly.Module(wasm()))).toEqual([]);
});
