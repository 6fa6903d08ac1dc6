import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Stack, type StackOptions, startStack } from '../tools/stack.ts';

/** A stack of its own for one measurement, gone afterwards. */
export async function withStack<T>(options: Omit<StackOptions, 'folder'>, work: (stack: Stack) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-bench-'));
  const stack = await startStack({ ...options, folder });
  try {
    return await work(stack);
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
