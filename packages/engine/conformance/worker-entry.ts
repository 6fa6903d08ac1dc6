import { createGroup } from '@streaming-yao/group';
import groupModule from '@streaming-yao/group/group.wasm';
import kernelModule from '../kernel.wasm';
import { createKernel } from '../src/kernel/kernel.ts';
import { runSuite } from './suite.ts';

export default {
  fetch: (): Response => Response.json(runSuite(createKernel(kernelModule), createGroup(groupModule), 'workerd')),
};
