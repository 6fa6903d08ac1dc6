import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { keptBytes } from '../../tools/heap.ts';
import type { Stack } from '../../tools/stack.ts';

/** Resident memory of a process in MiB. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** MiB of each role's process now. */
export async function memoryOf(stack: Stack): Promise<Readonly<Record<string, number>>> {
  const roles = Object.values(stack.roles);
  const used = await Promise.all(roles.map(({ pid }) => residentMb(pid)));
  return Object.fromEntries(roles.map(({ role }, i) => [role, Math.round(used[i] ?? 0)]));
}

/** MiB of a role when its garbage is gone: what its Worker keeps, and what its process takes all the same. */
export interface SettledMemory {
  readonly keptMb: number;
  readonly residentMb: number;
}

/** @param stack with Workers that can be looked into */
export async function settledMemoryOf(stack: Stack): Promise<Readonly<Record<string, SettledMemory>>> {
  const roles = Object.values(stack.roles);
  const kept = await Promise.all(roles.map(keptBytes));
  const resident = await memoryOf(stack);
  const settled = roles.map(({ role }, i) => {
    const keptMb = Math.round(((kept[i] ?? 0) / 2 ** 20) * 100) / 100;
    return [role, { keptMb, residentMb: resident[role] ?? 0 }] as const;
  });
  return Object.fromEntries(settled);
}

/** Bytes of all files below a folder. */
export async function storedBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(path.join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        // A write-ahead log may go while it is looked at.
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
