import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from './bundle.ts';

/** What one step found: how many checks passed and failed. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const bin = (name: string): string => path.join(repository, 'node_modules', '.bin', name);

function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: repository, stdio: 'inherit' }).status === 0;
}

const asOutcome = (succeeded: boolean): Outcome => ({ passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1 });

function runTests(): Outcome {
  const folder = mkdtempSync(path.join(tmpdir(), 'results-'));
  const results = path.join(folder, 'results.json');
  const succeeded = runs(bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`]);
  const { numPassedTests: passed, numFailedTests: failed } = existsSync(results)
    ? JSON.parse(readFileSync(results, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0 };
  rmSync(folder, { recursive: true });
  // A test file that cannot even be loaded fails no test.
  return { passed, failed: failed === 0 && !succeeded ? 1 : failed };
}

function failure(why: string): Outcome {
  console.error(why);
  return asOutcome(false);
}

/** Runs the demonstration as a user would, and reads what it says of itself. */
function runDemo(): Outcome {
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'demo', '--', '--json'], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) return failure(`the demo ended with ${status}`);
  try {
    const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    const operations: readonly { name: string; ok: boolean }[] = report.operations;
    const complete = operations.length > 0 && operations.every(({ ok }) => ok) && report.receiptVerified === true;
    if (!complete || !report.publicKey || !report.signature || !report.verifiedBy) return failure(`the demo reports ${stdout}`);
    console.log(`demo: ${operations.map(({ name }) => name).join(', ')}`);
    return asOutcome(true);
  } catch {
    return failure(`the demo's last line is not JSON: ${stdout.slice(-500)}`);
  }
}

const STEPS: Readonly<Record<string, () => Outcome>> = {
  'format and lint': () => asOutcome(runs(bin('biome'), ['check', '.'])),
  'imports and sizes': () => asOutcome(runs(process.execPath, ['tools/lint-imports.ts'])),
  types: () => asOutcome(runs(bin('tsc'), ['-p', '.'])),
  tests: runTests,
  demo: runDemo,
};

const total = { passed: 0, failed: 0 };
for (const [name, step] of Object.entries(STEPS)) {
  console.log(`\n== ${name}`);
  const { passed, failed } = step();
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) console.error(`${name}: FAILED`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
