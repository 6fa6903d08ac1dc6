import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { memoryStorage, type Storage } from '@streaming-yao/client';
import { ROLES } from '@streaming-yao/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stack } from '../../tools/stack.ts';
import { sharedStack } from './shared-stack.ts';
import { Control } from './walk/control.ts';
import { heldStack } from './walk/held-stack.ts';
import { OPERATIONS, type Operation } from './walk/operations.ts';
import { allPoints, sample, titleOf } from './walk/points.ts';
import { type Point, Walk } from './walk/walk.ts';

const control = await Control.open();
const shared = sharedStack(heldStack(control));
afterAll(() => control.close());

let points: readonly Point[];
beforeAll(async () => {
  points = await allPoints(new Walk(shared.stack, control));
}, 300_000);

const pointNamed = (title: string): Point => {
  const found = points.find((point) => titleOf(point) === title);
  if (!found) throw new Error(`no run came to ${title}`);
  return found;
};

test('the points are the messages and writes of recorded runs, for every operation and everybody', () => {
  const titles = points.map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  for (const title of [
    'refresh, freeze router: asked /v1/ceremonies',
    'refresh, kill deriver-a: frame tables (27)',
    'refresh, kill deriver-b: frame receipt',
    'refresh, kill signing-worker: before vault DELETE',
    'recover, freeze client: before ask /v1/lanes/confirm',
    'link, kill approver: after keep link',
    'sign, freeze signing-worker: asked /sign/share',
    'sign-under-presign, freeze signing-worker: asked /sign/prepare',
    'sign-under-presign, freeze signing-worker: asked /sign',
  ])
    expect(titles).toContain(title);
  const writes = titles.filter((title) => title.includes(': wrote')).map((title) => title.slice(0, title.indexOf(':')));
  for (const role of ROLES) expect(writes).toContain(`register, kill ${role}`);
});

/** A busy machine may end an operation before it comes to its point. @returns what is broken afterwards */
async function visited(walk: Walk, point: Point): Promise<string | undefined> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      if (await walk.visit(point)) return undefined;
    } catch (error) {
      return `${titleOf(point)}: ${(error as Error).message}`;
    }
  }
  return `${titleOf(point)}: not reached`;
}

test.each([
  ['kill', OPERATIONS.length],
  ['freeze', 1],
] as const)(
  'a sample of all: after a %s one epoch signs, nothing runs, and the next attempt succeeds',
  async (way, operations) => {
    const chosen = sample(points, '1').filter((point) => point.way === way);
    expect(new Set(chosen.map(({ operation }) => operation.name)).size).toBeGreaterThanOrEqual(operations);
    expect(new Set(chosen.map(({ step }) => step.actor)).size).toBe(6);
    const walk = new Walk(shared.stack, control);
    const broken: (string | undefined)[] = [];
    for (const point of chosen) broken.push(await visited(walk, point));
    expect(broken.filter((each) => each !== undefined)).toEqual([]);
  },
  600_000,
);

describe('the walk finds', () => {
  const refresh = OPERATIONS.find(({ name }) => name === 'refresh') as Operation;

  test('a device that gives its old share up before the new one is confirmed', { timeout: 300_000 }, async () => {
    const hasty = (): Storage => {
      const storage = memoryStorage();
      return {
        ...{ get: storage.get, names: storage.names },
        set: async (name, secret) => {
          if (name.startsWith('next/') && secret) await storage.set(name.replace('next/', 'lane/'), secret);
          await storage.set(name, secret);
        },
      };
    };
    const walk = new Walk(shared.stack, control, hasty);
    const visit = walk.visit(pointNamed('refresh, freeze client: before ask /v1/lanes/confirm'));
    await expect(visit).rejects.toThrow('a lane that does not sign');
  });

  test('a role that says a write is done and loses it', { timeout: 300_000 }, async () => {
    const role = shared.stack.roles['signing-worker'];
    const objects = path.join(shared.stack.folder, 'signing-worker', 'objects');
    const earlier = `${objects} of earlier`;
    const forgetful: Stack = {
      ...shared.stack,
      restart: async () => {
        const ended = role.pid;
        await role.down();
        await rm(objects, { recursive: true });
        await cp(earlier, objects, { recursive: true });
        await role.up();
        return { ended, pid: role.pid };
      },
    };
    const copying: Operation = {
      ...refresh,
      prepare: async (devices) => {
        await refresh.prepare(devices);
        await control.quiet();
        await role.down();
        await cp(objects, earlier, { recursive: true });
        await role.up();
      },
    };
    const point = { ...pointNamed('refresh, kill signing-worker: wrote no share'), operation: copying };
    await expect(new Walk(forgetful, control).visit(point)).rejects.toThrow('a lane that does not sign');
  });

  test('a process that outlives its end', { timeout: 300_000 }, async () => {
    const role = shared.stack.roles['deriver-b'];
    const immortal: Stack = { ...shared.stack, restart: async () => ({ ended: role.pid, pid: role.pid }) };
    const visit = new Walk(immortal, control).visit(pointNamed('refresh, kill deriver-b: frame accept'));
    await expect(visit).rejects.toThrow('was killed and is still there');
  });
});
