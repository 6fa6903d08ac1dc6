import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a script of this folder in a Node process of its own, with nothing of other measurements in its memory.
 * @returns what the last line of its output says, as JSON
 * @throws Error when the script fails
 */
export async function alone(script: string, args: readonly string[] = []): Promise<unknown> {
  const file = path.join(import.meta.dirname, script);
  const { stdout } = await run(process.execPath, ['--expose-gc', file, ...args], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

/** Bytes in use after all garbage is gone; WebAssembly memories count as external. */
export function bytesInUse(): number {
  if (!gc) throw new Error('memory is measured with --expose-gc');
  // The first collection finds what is dead, the second what that kept alive.
  for (let i = 0; i < 3; i++) gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Largest resident memory of this process so far, in bytes. What `getrusage` says would count, after a fork, the parent's too.
 */
export function peakResidentBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
