import type { Engine } from '../engine.ts';
import { GatelessParty } from '../garble/gateless.ts';
import { KernelInstances } from './instance.ts';
import { KernelEvaluator, KernelGarbler } from './parties.ts';
import { kernelHashBlocks, kernelProjectEvaluator, kernelProjectGarbler } from './projection.ts';

/** The WebAssembly engine: SIMD, word by word, constant time in all secrets. */
export interface Kernel extends Engine {
  readonly kind: 'kernel';
}

/**
 * Wraps the compiled `kernel.wasm`. A host gets the module its own way: an import in workerd, a file in Node (`loadKernel`), a
 * streaming compilation in a browser.
 */
export function createKernel(module: WebAssembly.Module): Kernel {
  const instances = new KernelInstances(module);
  return {
    kind: 'kernel',
    garbler: (options) =>
      options.circuit === 'activation' ? new KernelGarbler(instances, options) : new GatelessParty(options.inputZeroLabels),
    evaluator: (options) =>
      options.circuit === 'activation' ? new KernelEvaluator(instances, options) : new GatelessParty(options.inputLabels),
    projectGarbler: (options) => kernelProjectGarbler(instances, options),
    projectEvaluator: (options) => kernelProjectEvaluator(instances, options),
    hashBlocks: (key, messages, firstCounter, counterStep) =>
      kernelHashBlocks(instances, key, messages, firstCounter, counterStep),
  };
}
