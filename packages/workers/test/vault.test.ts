import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRoles, type TestRoles } from './workerd.ts';

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles();
});
afterAll(() => running.stop());

const vault = async (action: 'write' | 'read' | 'erase', slot: string, tag: string, text = '') => {
  const { status, body } = await running.post('router', '/vault', { action, slot, tag, text });
  expect(status).toBe(200);
  return body;
};

/** Files of the Router's storage that hold `text`, their write-ahead logs included. */
async function filesWith(text: string): Promise<readonly string[]> {
  const folder = path.join(running.folder, 'router', 'objects');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const places = files.map((file) => path.join(file.parentPath, file.name));
  const contents = await Promise.all(places.map((place) => readFile(place)));
  return places.filter((_, i) => contents[i]?.includes(text));
}

describe('the vault', () => {
  it('keeps one value a slot, under its tag', async () => {
    expect(await vault('read', 'a', 't1')).toBeNull();
    expect(await vault('write', 'a', 't1', 'first')).toBe('first');
    expect(await vault('read', 'a', 't2')).toBeNull();
    expect(await vault('read', 'b', 't1')).toBeNull();
    expect(await vault('write', 'a', 't2', 'second')).toBe('second');
    expect(await vault('read', 'a', 't1')).toBeNull();
  });

  it('erases only what the tag names', async () => {
    await vault('write', 'c', 't2', 'stays');
    await vault('erase', 'c', 't1');
    expect(await vault('read', 'c', 't2')).toBe('stays');
    expect(await vault('erase', 'c', 't2')).toBeNull();
    expect(await vault('erase', 'c', 't2')).toBeNull();
    expect(await vault('write', 'c', 't3', 'next')).toBe('next');
  });

  it('keeps its values when the process is killed', async () => {
    await vault('write', 'd', 't', 'kept');
    await running.roles.router.restart();
    expect(await vault('read', 'd', 't')).toBe('kept');
  });

  it('leaves nothing of an erased value on the disk', async () => {
    const planted = 'PLANTED-SHARE-0123456789';
    await vault('write', 'e', 't', planted);
    expect(await filesWith(planted)).not.toEqual([]);
    await vault('erase', 'e', 't');
    expect(await filesWith(planted)).toEqual([]);
    await running.roles.router.restart();
    expect(await filesWith(planted)).toEqual([]);
  });
});
