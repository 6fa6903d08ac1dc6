import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a script of this folder in a Node process of its own, with nothing of other measurements in its memory. Its progress is shown.
 * @returns what the last line of its output says, as JSON
 * @throws Error when the script fails
 */
export async function alone(script: string, args: readonly string[] = []): Promise<unknown> {
  const file = path.join(import.meta.dirname, script);
  const running = run(process.execPath, ['--expose-gc', file, ...args], { maxBuffer: 2 ** 26 });
  running.child.stderr?.pipe(process.stderr, { end: false });
  const { stdout } = await running;
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
 * Megabytes by which this process's resident memory exceeds, at its peak, what it is now.
 * @returns asks for the peak so far, to be called when the work is done
 */
export function watchPeak(): () => number {
  gc?.();
  const before = process.memoryUsage.rss();
  // Only Linux can forget an earlier peak; and what getrusage says there counts, after a fork, the parent's too.
  const linux = process.platform === 'linux';
  if (linux) writeFileSync('/proc/self/clear_refs', '5');
  const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  return () => ((linux ? peak() : process.resourceUsage().maxRSS) * 1024 - before) / 2 ** 20;
}
