import kernelModule from '../kernel.wasm';
import { createKernel } from '../src/kernel/kernel.ts';
import { runSuite } from './suite.ts';

export default {
  fetch: (): Response => Response.json(runSuite(createKernel(kernelModule), 'workerd')),
};
