import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CeremonyRecord } from '@streaming-yao/ceremony/deriver-record';
import type { Role } from '@streaming-yao/wire';
import { expect } from 'vitest';
import type { Stack } from '../../tools/stack.ts';

export interface StoredFile {
  /** From the stack's folder. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Everything that a role has on its disk: databases, their write-ahead logs, its log. */
export async function filesOf({ folder }: Stack, role: Role): Promise<readonly StoredFile[]> {
  const entries = await readdir(path.join(folder, role), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const read = await Promise.all(
    files.map(async (file) => {
      // A write-ahead log goes when its object falls asleep.
      const bytes = await readFile(file).catch(() => undefined);
      return bytes && { name: path.relative(folder, file), bytes: new Uint8Array(bytes) };
    }),
  );
  return read.filter((file) => file !== undefined);
}

export interface StoredRecord {
  readonly table: string;
  readonly key: string;
  readonly value: Uint8Array;
  readonly deleteAtMs: number | null;
}

/** The durable records of all objects of a role, while it runs. */
export async function recordsOf(stack: Stack, role: Role): Promise<readonly StoredRecord[]> {
  const place = path.join(stack.folder, role, 'objects', `${role}-RoleObject`);
  const objects = (await readdir(place)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return objects.flatMap((name) => recordsIn(path.join(place, name)));
}

function recordsIn(file: string): readonly StoredRecord[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'records'").get();
    const rows = known ? database.prepare('SELECT tbl, key, value, delete_at_ms FROM records ORDER BY tbl, key').all() : [];
    return rows.map((row) => ({
      table: row.tbl as string,
      key: row.key as string,
      value: row.value as Uint8Array,
      deleteAtMs: row.delete_at_ms as number | null,
    }));
  } finally {
    database.close();
  }
}

/** The state of a Deriver's ceremony. */
export function ceremonyState({ table, value }: StoredRecord): CeremonyRecord['state'] | undefined {
  return table === 'ceremony' ? CeremonyRecord.decode(value).state : undefined;
}

/** Deriver B answers before it has stored A's signature. */
async function receiptsWithoutA(stack: Stack): Promise<number> {
  const ceremonies = (await recordsOf(stack, 'deriver-b')).filter(({ table }) => table === 'ceremony');
  return ceremonies.filter(({ value }) => CeremonyRecord.decode(value).answer?.signatureA === null).length;
}

/**
 * What the roles remember of wallets, for comparing before and after, once answered ceremonies have written what follows their
 * answers; pairings come and go by themselves.
 */
export async function memoryOf(stack: Stack): Promise<readonly string[]> {
  await expect.poll(() => receiptsWithoutA(stack), { timeout: 10_000 }).toBe(0);
  const roles: readonly Role[] = ['router', 'deriver-a', 'deriver-b', 'signing-worker'];
  const found = await Promise.all(
    roles.map(async (role) =>
      (await recordsOf(stack, role))
        .filter(({ table }) => table !== 'pairing')
        .map(({ table, key, value }) => `${role} ${table} ${key} ${Buffer.from(value).toString('hex')}`),
    ),
  );
  return found.flat().toSorted();
}
