import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Stack, type StackOptions, startStack } from '../../tools/stack.ts';

/** A stack that runs as long as the tests of one file. */
export interface SharedStack {
  readonly stack: Stack;
}

export function sharedStack(options: Omit<StackOptions, 'folder' | 'endOnSignal'> = {}): SharedStack {
  let running: Stack | undefined;
  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-stack-'));
    running = await startStack({ ...options, folder, endOnSignal: false });
  });
  afterAll(async () => {
    await running?.stop();
    if (running) await rm(running.folder, { recursive: true, force: true });
  });
  return {
    get stack(): Stack {
      if (!running) throw new Error('the stack runs only while tests do');
      return running;
    },
  };
}
