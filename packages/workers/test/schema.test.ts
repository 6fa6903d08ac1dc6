import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleWorker, type WorkerBundle } from '../../../tools/bundle.ts';
import { freePorts } from '../../../tools/ports.ts';
import { RoleProcess } from '../../../tools/role-process.ts';

let bundle: WorkerBundle;
const folders: string[] = [];

beforeAll(async () => {
  bundle = await bundleWorker(path.join(import.meta.dirname, 'fixtures', 'versions.ts'));
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'schema-'));
  folders.push(folder);
  return folder;
}

/** Runs a version on the folder's storage, and has it write `record` if there is one. @returns what is stored then, or an error's code */
async function runVersion(folder: string, version: string, record = ''): Promise<unknown> {
  const [port = 0] = await freePorts(1);
  const role = await RoleProcess.start({ role: 'versions', folder, port, bundle, variables: { VERSION: version } });
  try {
    const response = await fetch(role.url, { method: 'POST', body: record });
    return await response.json();
  } finally {
    await role.stop();
  }
}

test('the first version leaves no mark, and the next one takes its data over', async () => {
  const folder = await emptyFolder();
  expect(await runVersion(folder, '1', 'kept')).toEqual(['named/kept']);
  expect(await runVersion(folder, '1')).toEqual(['named/kept']);
  expect(await runVersion(folder, '2')).toEqual(['renamed/kept', 'schema/']);
  expect(await runVersion(folder, '2', 'new')).toEqual(['named/new', 'renamed/kept', 'schema/']);
});

test('versions may be skipped, each step is taken once, and an older version refuses what a newer one wrote', async () => {
  const folder = await emptyFolder();
  await runVersion(folder, '1', 'kept');
  const expected = ['copied/kept', 'renamed/kept', 'schema/'];
  expect(await runVersion(folder, '3')).toEqual(expected);
  expect(await runVersion(folder, '3')).toEqual(expected);
  expect(await runVersion(folder, '2')).toEqual({ code: 'config_invalid' });
  expect(await runVersion(folder, '3')).toEqual(expected);
});

test('a step that fails leaves everything as it was', async () => {
  const folder = await emptyFolder();
  await runVersion(folder, '1', 'kept');
  expect(await runVersion(folder, 'failing')).toEqual({ code: 'internal' });
  expect(await runVersion(folder, '1')).toEqual(['named/kept']);
});
