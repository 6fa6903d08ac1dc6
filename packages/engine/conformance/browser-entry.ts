import { createGroup } from '@streaming-yao/group';
import { createKernel } from '../src/kernel/kernel.ts';
import { runSuite, type SuiteReport } from './suite.ts';

declare global {
  var conformance: Promise<SuiteReport>;
}

async function run(): Promise<SuiteReport> {
  const modules = ['kernel.wasm', 'group.wasm'].map((file) => WebAssembly.compileStreaming(fetch(file)));
  const [kernel, group] = (await Promise.all(modules)) as [WebAssembly.Module, WebAssembly.Module];
  const version = /Chrome\/(\d+)/.exec(navigator.userAgent)?.[1] ?? '';
  return runSuite(createKernel(kernel), createGroup(group), `Chromium ${version}`);
}

globalThis.conformance = run();
