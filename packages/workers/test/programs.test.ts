import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tools/processes.ts';
import { startTestRoles, type TestRoles } from './workerd.ts';

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles();
});
afterAll(() => running.stop());

const ask = (path: string, body: unknown, withinMs = 5_000, role = 'deriver-a') =>
  running.post('router', '/ask', { role, path, body, withinMs });
const read = async (wallet: string) => (await running.post('router', '/read', { wallet, prefix: '', limit: 100 })).body;

describe('calls between roles', () => {
  it('carry a token, and bring the answer back', async () => {
    expect(await ask('/for-router', { x: [1, null] })).toEqual({ status: 200, body: { x: [1, null] } });
  });

  it.each([
    ['the error that the role answered', () => ask('/nothing', {}), 404, 'unknown_route'],
    ['a deadline that passes', () => ask('/busy', { ms: 600 }, 100), 504, 'deadline_exceeded'],
    ['a deadline that has passed', () => ask('/for-router', {}, -1_000), 504, 'deadline_exceeded'],
  ])('end with %s', async (_, call, status, code) => {
    const answer = await call();
    expect(answer).toMatchObject({ status, body: { error: { code, party: 'deriver-a' } } });
  });

  it('are refused without a binding', async () => {
    expect(await ask('/for-router', {}, 1_000, 'signing-worker')).toMatchObject({
      status: 500,
      body: { error: { code: 'internal' } },
    });
  });

  it('end with peer_failed while the role is down, and work again afterwards', async () => {
    await running.roles['deriver-a'].down();
    expect(await ask('/for-router', {})).toMatchObject({
      status: 502,
      body: { error: { code: 'peer_failed', party: 'deriver-a' } },
    });
    await running.roles['deriver-a'].up();
    expect(await ask('/for-router', 1)).toEqual({ status: 200, body: 1 });
  });
});

describe('programs', () => {
  it('of one join key share one run and its answer', async () => {
    const count = () => running.post('router', '/count', {});
    expect((await Promise.all([count(), count(), count()])).map(({ body }) => body)).toEqual([1, 1, 1]);
    expect((await count()).body).toBe(2);
  });

  it('side by side give their first error when all have ended', async () => {
    expect((await running.post('router', '/together', {})).body).toEqual({ first: 'sooner', ended: ['sooner', 'later'] });
  });

  it('run on after the answer, and their failure changes nothing', async () => {
    const wallet = 'background';
    expect((await running.post('router', '/background', { wallet })).body).toBe('answered');
    await until('background write', async () => ((await read(wallet)) as unknown[]).length > 0 || undefined);
    expect(await read(wallet)).toEqual([['background', 'done']]);
  });

  it('run to their end when the caller goes away', async () => {
    const wallet = 'gone';
    const body = JSON.stringify({ wallet, writes: [{ key: 'kept', text: 'yes' }] });
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(100);
    const left = fetch(`${running.roles.router.url}/write-later`, { method: 'POST', headers, body, signal });
    await expect(left).rejects.toThrow();
    await until('write after the caller left', async () => ((await read(wallet)) as unknown[]).length > 0 || undefined);
  });

  it('without an object run in the Worker itself', async () => {
    const response = await fetch(`${running.roles.router.url}/signed`);
    expect(await response.json()).toEqual([true, false, false]);
  });

  it('seal and open on workerd as elsewhere', async () => {
    expect((await running.post('deriver-a', '/seals', {})).body).toEqual({
      opened: 'an input',
      atRest: 'a share',
      codes: ['envelope_rejected', 'envelope_rejected', 'envelope_rejected'],
      hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });

  it('know their surroundings', async () => {
    const { body } = await running.post('router', '/facts', { wallet: 'alice' });
    expect(body).toEqual({ shard: expect.any(Number), role: 'router', deployment: 'test', random: [200_000, 256] });
  });

  it('are spread over the objects by wallet, always the same way', async () => {
    const shardOf = async (wallet: string) =>
      ((await running.post('router', '/facts', { wallet })).body as { shard: number }).shard;
    const shards = await Promise.all(Array.from({ length: 24 }, (_, i) => shardOf(`wallet${i}`)));
    expect(new Set(shards)).toEqual(new Set([0, 1, 2, 3]));
    expect(await shardOf('wallet7')).toBe(shards[7]);
  });

  it('of every object give the last answer', async () => {
    expect((await running.post('router', '/shards', {})).body).toBe(3);
  });
});

describe('what is written down', () => {
  it('is the audit trail, in order, each event once', async () => {
    const events = Array.from({ length: 30 }, (_, i) => `event ${i}`);
    await Promise.all([
      running.post('router', '/noted', { wallet: 'alice', events }),
      running.post('router', '/noted', { wallet: 'bob', events: ['other'] }),
    ]);
    const rows = await until('audit rows', async () => {
      const found = await running.roles.router.query('SELECT wallet_id, event, outcome FROM audit ORDER BY id');
      return found.length >= 31 ? found : undefined;
    });
    expect(rows.filter(({ wallet_id }) => wallet_id === 'alice').map(({ event }) => event)).toEqual(events);
    expect(rows).toHaveLength(31);
  });

  it('is a log line per fault, with its place and without its message', async () => {
    await running.post('router', '/write', { writes: [], fail: 'fault' });
    const log = await until('log line', async () => {
      const text = await readFile(path.join(running.folder, 'router', 'log.txt'), 'utf8');
      return text.includes('"path":"/write"') ? text : undefined;
    });
    const line = JSON.parse(log.split('\n').find((text) => text.includes('"path":"/write"')) as string);
    expect(Object.keys(line)).toEqual(['event', 'role', 'path', 'fault']);
    expect(line.fault[0]).toBe('TypeError');
    expect(log).not.toContain('PLANTED-SECRET');
  });
});
