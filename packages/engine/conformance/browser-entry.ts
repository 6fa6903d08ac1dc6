import { createKernel } from '../src/kernel/kernel.ts';
import { runSuite, type SuiteReport } from './suite.ts';

declare global {
  var conformance: Promise<SuiteReport>;
}

globalThis.conformance = WebAssembly.compileStreaming(fetch('kernel.wasm')).then((module) =>
  runSuite(createKernel(module), `Chromium ${/Chrome\/(\d+)/.exec(navigator.userAgent)?.[1] ?? ''}`),
);
