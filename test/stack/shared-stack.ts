import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROLES } from '@streaming-yao/wire';
import { afterAll, beforeAll, expect } from 'vitest';
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
    if (!running) return;
    const faults = await faultsOf(running);
    await rm(running.folder, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });
  return {
    get stack(): Stack {
      if (!running) throw new Error('the stack runs only while tests do');
      return running;
    },
  };
}

/** What the roles logged that no request, peer or crash is to blame for. */
async function faultsOf({ folder }: Stack): Promise<readonly string[]> {
  const logs = await Promise.all(ROLES.map((role) => readFile(path.join(folder, role, 'log.txt'), 'utf8')));
  return logs.flatMap((log) => log.split('\n')).filter((line) => /"fault":|"code":"(internal|secret_wiped)"/.test(line));
}
