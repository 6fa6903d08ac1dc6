import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SecretBytes, utf8 } from '@streaming-yao/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../src/index.ts';
import { fileStorage } from '../src/node.ts';

let folder: string;
let storage: Storage;
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const keyOf = (byte: number): SecretBytes => SecretBytes.own(new Uint8Array(32).fill(byte));
const openFolder = (byte = 1): Promise<Storage> => fileStorage({ folder: path.join(folder, 'state'), key: keyOf(byte), random });
const files = async (): Promise<readonly string[]> =>
  (await readdir(path.join(folder, 'state'))).map((name) => path.join(folder, 'state', name));

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'file-storage-'));
  storage = await openFolder();
});
afterEach(() => rm(folder, { recursive: true }));

const record = (text: string): SecretBytes => SecretBytes.own(utf8(text));
const read = async (from: Storage, name: string): Promise<string | undefined> =>
  (await from.get(name))?.use((bytes) => new TextDecoder().decode(bytes));

describe('a record', () => {
  test('comes back, also to the next process, until it is replaced or deleted', async () => {
    await storage.set('lane/w/0', record('one'));
    expect(await read(await openFolder(), 'lane/w/0')).toBe('one');
    await storage.set('lane/w/0', record('two'));
    expect(await read(storage, 'lane/w/0')).toBe('two');
    await storage.set('lane/w/0', undefined);
    expect(await read(storage, 'lane/w/0')).toBeUndefined();
    await storage.set('lane/w/0', undefined);
    expect(await files()).toEqual([]);
  });

  test('is found by its prefix', async () => {
    for (const name of ['lane/w/0', 'lane/W/0', 'pending/w/0']) await storage.set(name, record(name));
    expect((await storage.names('lane/')).toSorted()).toEqual(['lane/W/0', 'lane/w/0']);
    expect(await storage.names('')).toHaveLength(3);
  });

  test('is nowhere in the clear, and for its owner alone', async () => {
    await storage.set('lane/w/0', record('a secret share'));
    const [file] = await files();
    expect((await readFile(file as string)).includes('secret')).toBe(false);
    expect((await stat(file as string)).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(folder, 'state'))).mode & 0o777).toBe(0o700);
  });
});

describe('nothing opens and nothing is overwritten', () => {
  const refused = expect.objectContaining({ code: 'unlock_failed' });

  test('with another key', async () => {
    await storage.set('lane/w/0', record('one'));
    await expect((await openFolder(2)).get('lane/w/0')).rejects.toThrow(refused);
    expect(await read(storage, 'lane/w/0')).toBe('one');
  });

  test('that was changed, cut or put in another one’s place', async () => {
    await storage.set('lane/w/0', record('one'));
    await storage.set('lane/w/1', record('two'));
    const [first, second] = (await files()).toSorted() as [string, string];
    const bytes = await readFile(first);
    await writeFile(second, bytes);
    await expect(storage.get('lane/w/1')).rejects.toThrow(refused);
    await writeFile(first, bytes.subarray(0, 20));
    await expect(storage.get('lane/w/0')).rejects.toThrow(refused);
    bytes[15] = (bytes[15] as number) ^ 1;
    await writeFile(first, bytes);
    await expect(storage.get('lane/w/0')).rejects.toThrow(refused);
  });
});
