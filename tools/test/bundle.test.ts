import { ROLES, type Role } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { bundleWorker, gzipBytes, roleEntry } from '../bundle.ts';

const roleOf = (file: string): Role | undefined =>
  ROLES.find((role) => file === `packages/ceremony/src/${role}.ts` || file === `packages/workers/src/roles/${role}.ts`);

describe.each(ROLES)('the Worker of %s', (role) => {
  it('holds its own role and no other', async () => {
    const { inputs } = await bundleWorker(roleEntry(role));
    expect(new Set(inputs.map(roleOf).filter((found) => found !== undefined))).toEqual(new Set([role]));
    const foreign = /^packages\/(client|simulator)\/|^tools\/|\/test\/|^node_modules\/(vitest|miniflare|undici)\//;
    expect(inputs.filter((file) => foreign.test(file))).toEqual([]);
  });

  it('fits an upload with room to spare', async () => {
    expect(gzipBytes(await bundleWorker(roleEntry(role), { minify: true }))).toBeLessThan(200 * 1024);
  });
});

describe('what only some roles hold', () => {
  const garbling = /^packages\/engine\/src\/(garble|kernel|ot)\//;

  it('is the engine: the Derivers have it, the Router and the SigningWorker do not', async () => {
    for (const role of ROLES) {
      const { inputs, wasm } = await bundleWorker(roleEntry(role));
      const derives = role === 'deriver-a' || role === 'deriver-b';
      expect([role, inputs.some((file) => garbling.test(file)), wasm.has('kernel.wasm')]).toEqual([role, derives, derives]);
    }
  });
});
