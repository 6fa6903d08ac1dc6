import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Marks the workerd processes of a stack, in their environment: their command lines are all alike, and a process number in
 * a file may long belong to somebody else.
 */
export const MARK = 'STREAMING_YAO_ROLE_PROCESS';

export const markOf = (folder: string, role: string): string => `${folder}#${role}`;

export interface MarkedProcess {
  readonly pid: number;
  readonly role: string;
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Gone meanwhile, or somebody else's.
    return [];
  }
}

function* environments(): Iterable<readonly [number, readonly string[]]> {
  if (process.platform === 'linux') {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) yield [Number(name), environmentOf(name)];
    return;
  }
  const { stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' });
  for (const line of stdout.split('\n')) yield [Number.parseInt(line, 10), line.split(' ')];
}

/** The live role processes that belong to a stack's folder. */
export function findRoleProcesses(folder: string): readonly MarkedProcess[] {
  const prefix = `${MARK}=${folder}#`;
  const found: MarkedProcess[] = [];
  for (const [pid, variables] of environments()) {
    const mark = pid === process.pid ? undefined : variables.find((variable) => variable.startsWith(prefix));
    if (mark !== undefined) found.push({ pid, role: mark.slice(prefix.length) });
  }
  return found;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Asks again and again, a few milliseconds apart. @throws Error when `question` has no answer in time */
export async function until<T>(
  what: string,
  question: () => T | undefined | Promise<T | undefined>,
  withinMs = 20_000,
): Promise<T> {
  for (const end = Date.now() + withinMs; Date.now() < end; await wait(5)) {
    const answer = await question();
    if (answer !== undefined) return answer;
  }
  throw new Error(`${what}: not within ${withinMs} ms`);
}

/** Ends processes at once and waits until they are gone. */
export async function endProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  await until(`end of processes ${pids.join(', ')}`, () => (pids.some(isAlive) ? undefined : true));
}
