import type { Group } from '@streaming-yao/group';
import { groupCases } from '@streaming-yao/group/conformance';
import type { Engine } from '../src/engine.ts';
import type { ConformanceCase } from './case.ts';
import { kernelCases } from './kernel.ts';
import { sessionCases } from './session.ts';

/** What every runtime must show. */
export const suite: readonly ConformanceCase[] = [
  ...kernelCases,
  ...sessionCases,
  ...groupCases.map(({ name, run }) => ({ name, run: (_: Engine, group: Group) => run(group) })),
];

export interface SuiteReport {
  readonly runtime: string;
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** Runs every case; none stops another. */
export function runSuite(engine: Engine, group: Group, runtime: string): SuiteReport {
  const passed: string[] = [];
  const failed: { name: string; reason: string }[] = [];
  for (const { name, run } of suite) {
    try {
      run(engine, group);
      passed.push(name);
    } catch (error) {
      failed.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { runtime, passed, failed };
}
