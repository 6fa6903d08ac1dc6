// Runs the conformance suite in every runtime: `npx node packages/engine/conformance/run.ts`.

import { OLDER_NODES, olderNode } from './nodes.ts';
import { runInBrowser, runInNode, runInWorkerd } from './runners.ts';
import type { SuiteReport } from './suite.ts';

function print({ runtime, passed, failed }: SuiteReport): void {
  process.stdout.write(`${runtime}: ${passed.length} passed, ${failed.length} failed\n`);
  for (const { name, reason } of failed) process.stdout.write(`  ${name}: ${reason}\n`);
  if (failed.length > 0 || passed.length === 0) process.exitCode = 1;
}

for (const major of Object.keys(OLDER_NODES)) {
  print(await runInNode(await olderNode(Number(major) as keyof typeof OLDER_NODES)));
}
print(await runInNode(process.execPath));
print(await runInWorkerd());
print(await runInBrowser());
