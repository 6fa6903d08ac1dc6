import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { LIMITS, toBase64Url } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { issueCallToken } from '../src/call-token.ts';
import { SocketChannel } from '../src/channel.ts';
import type { Socket } from '../src/platform.ts';
import { parseSecret } from '../src/secret.ts';
import { importSigningKey } from '../src/signatures.ts';
import { ArrivedStreams } from '../src/streams.ts';
import { startTestRoles, type TestRoles } from './workerd.ts';

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles();
});
afterAll(() => running.stop());

const newCeremony = () => randomBytes(32).toString('hex');
const collect = (ceremony: string, withinMs = 2_000) => running.post('deriver-b', '/collect', { ceremony, withinMs });

describe('the frame stream between two processes', () => {
  const order = { frames: 12, frameBytes: LIMITS.frameBytes, computeMs: 5 };

  async function stream(turns: boolean) {
    const ceremony = newCeremony();
    const [b, a] = await Promise.all([
      running.post('deriver-b', '/acknowledge', { ceremony, frames: order.frames, withinMs: 8_000 }),
      running.post('deriver-a', '/stream-out', { ceremony, turns, ...order }),
    ]);
    return { taken: b.body, acknowledgedBefore: a.body as number[] };
  }

  it('overlaps: frames are taken while later ones are still being made', async () => {
    const { taken, acknowledgedBefore } = await stream(true);
    expect(taken).toEqual(Array.from({ length: order.frames }, (_, i) => [i, LIMITS.frameBytes]));
    // An acknowledgement that came back before the last frame was made is of a frame that had been sent and taken by then.
    expect(acknowledgedBefore.at(-1)).toBeGreaterThan(0);
  });

  it('does not overlap without a turn of the event loop after each frame', async () => {
    const { taken, acknowledgedBefore } = await stream(false);
    expect(taken).toHaveLength(order.frames);
    expect(acknowledgedBefore.at(-1)).toBe(0);
  });

  it('waits for a ceremony that comes later', async () => {
    const ceremony = newCeremony();
    const sending = running.post('deriver-a', '/stream-out', { ceremony, turns: true, ...order, frames: 2 });
    await new Promise((passed) => setTimeout(passed, 150));
    const { body } = await running.post('deriver-b', '/acknowledge', { ceremony, frames: 2, withinMs: 5_000 });
    expect(body).toHaveLength(2);
    expect((await sending).status).toBe(200);
  });

  it('keeps no more frames than its bound that nobody has asked for', async () => {
    const ceremony = newCeremony();
    // The opening is the first of them.
    const frames = LIMITS.inboundFrames - 1;
    const flooding = running.post('deriver-a', '/flood', { ceremony, frames: frames + 1 });
    expect(await flooding).toMatchObject({ status: 502, body: { error: { code: 'peer_failed', party: 'deriver-b' } } });
    const within = newCeremony();
    const keeping = running.post('deriver-a', '/flood', { ceremony: within, frames });
    await new Promise((passed) => setTimeout(passed, 150));
    const collected = { frames, code: 'deadline_exceeded', party: 'deriver-a' };
    expect((await collect(within, 300)).body).toEqual(collected);
    expect(await keeping).toMatchObject({ status: 502, body: { error: { code: 'peer_failed' } } });
  });

  it('ends when the other process dies', async () => {
    const ceremony = newCeremony();
    const waiting = running.post('deriver-a', '/flood', { ceremony, frames: 1 });
    await new Promise((passed) => setTimeout(passed, 150));
    await running.roles['deriver-b'].restart();
    expect(await waiting).toMatchObject({ status: 502, body: { error: { code: 'peer_failed', party: 'deriver-b' } } });
  });

  it('never carries a frame over the limit', async () => {
    const { status, body } = await running.post('deriver-a', '/oversized', { ceremony: newCeremony() });
    expect([status, body]).toMatchObject([500, { error: { code: 'internal' } }]);
  });
});

describe('a ceremony that is rejected', () => {
  it('ends the wait for its stream', async () => {
    const ceremony = newCeremony();
    const waiting = collect(ceremony, 5_000);
    await new Promise((passed) => setTimeout(passed, 100));
    await running.post('deriver-b', '/reject', { ceremony });
    expect(await waiting).toMatchObject({ status: 502, body: { error: { code: 'peer_failed', ceremonyId: ceremony } } });
  });

  it('refuses a stream that comes later', async () => {
    const ceremony = newCeremony();
    await running.post('deriver-b', '/reject', { ceremony });
    const late = await running.post('deriver-a', '/flood', { ceremony, frames: 1 });
    expect(late).toMatchObject({ status: 502, body: { error: { code: 'peer_failed', ceremonyId: ceremony } } });
  });
});

test('a stream that is waited for again does not come once it is rejected; one that is waited for anew may', async () => {
  const [streams, ceremony] = [new ArrivedStreams(), newCeremony()];
  streams.reject(ceremony);
  await expect(streams.accept(ceremony, true, Date.now() + 60_000)).rejects.toMatchObject({ code: 'peer_failed' });
  await expect(streams.accept(ceremony, false, Date.now())).rejects.toMatchObject({ code: 'deadline_exceeded' });
});

test('a stream that comes while its ceremony is rejected is closed', () => {
  const [streams, ceremony] = [new ArrivedStreams(), newCeremony()];
  const closed: unknown[] = [];
  class Pipe extends EventTarget {
    readonly accept = () => undefined;
    readonly close = (status: number) => closed.push(status);
  }
  streams.admit(ceremony);
  streams.reject(ceremony);
  streams.arrive(ceremony, new SocketChannel(new Pipe() as unknown as Socket, 'deriver-a'));
  expect(closed).toEqual([1000]);
});

describe('the door of the stream', () => {
  const opening = new Uint8Array(randomBytes(213));

  async function token(
    role: 'router' | 'deriver-a',
    path: string,
    audience: Role = 'deriver-b',
    body: Uint8Array = opening,
  ): Promise<string> {
    using seed = parseSecret(role, 'signing-key', running.keys.secrets[role].SIGNING_KEY);
    const call = { kind: 'call', caller: role, audience, path, body } as const;
    return issueCallToken(call, await importSigningKey(seed), Date.now());
  }

  const pathOf = (ceremony: string, shard: number | string = 1) => `/stream?ceremony=${ceremony}&shard=${shard}`;

  async function open(path: string, authorization: string): Promise<WebSocket> {
    const url = running.roles['deriver-b'].url.replace('http', 'ws') + path;
    // Node's own takes headers, which the DOM's types do not know.
    const options = { headers: { authorization, 'x-yao-opening': toBase64Url(opening) } } as unknown as string[];
    const socket = new WebSocket(url, options);
    await new Promise((opened, failed) => {
      socket.addEventListener('open', opened);
      socket.addEventListener('error', failed);
    });
    return socket;
  }

  it.each([
    ['text', 'a text'],
    ['a frame over the limit', new Uint8Array(LIMITS.frameBytes + 1)],
  ])('closes on %s', async (_, data) => {
    const ceremony = newCeremony();
    const path = pathOf(ceremony);
    const collecting = collect(ceremony, 5_000);
    const socket = await open(path, await token('deriver-a', path));
    const closed = new Promise<number>((done) => socket.addEventListener('close', ({ code }) => done(code)));
    socket.send(data);
    expect((await collecting).body).toEqual({ frames: 0, code: 'frame_invalid', party: 'deriver-a' });
    expect(await closed).toBe(typeof data === 'string' ? 1003 : 1009);
  });

  it('answers a close with a close, so that the ceremony ends at once', async () => {
    const ceremony = newCeremony();
    const path = pathOf(ceremony);
    const collecting = collect(ceremony, 20_000);
    const socket = await open(path, await token('deriver-a', path));
    socket.send(Uint8Array.of(1));
    const closed = new Promise<boolean>((done) => socket.addEventListener('close', ({ wasClean }) => done(wasClean)));
    socket.close(1000);
    expect((await collecting).body).toEqual({ frames: 1, code: 'peer_failed', party: 'deriver-a' });
    expect(await closed).toBe(true);
  });

  const knock = async (
    path: string,
    authorization: string | undefined,
    headers: Record<string, string> = { 'x-yao-opening': toBase64Url(opening) },
  ) => {
    const { hostname, port } = new URL(running.roles['deriver-b'].url);
    return new Promise<string>((resolve, reject) => {
      const all = { connection: 'upgrade', upgrade: 'websocket', ...headers, ...(authorization && { authorization }) };
      const outgoing = request({
        host: hostname,
        port,
        path,
        headers: { ...all, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
      });
      outgoing.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${JSON.parse(text).error.code}`));
      });
      outgoing.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve('101');
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  };

  it('opens to Deriver A for the ceremony and object that its token names', async () => {
    const path = pathOf(newCeremony());
    expect(await knock(path, await token('deriver-a', path))).toBe('101');
  });

  it.each([
    ['nobody', async (path: string) => [path, undefined]],
    ['the Router', async (path: string) => [path, await token('router', path)]],
    ['a token for another path', async (path: string) => [path, await token('deriver-a', pathOf(newCeremony()))]],
    ['a token for another role', async (path: string) => [path, await token('deriver-a', path, 'signing-worker')]],
    [
      'a token for another opening',
      async (path: string) => [path, await token('deriver-a', path, 'deriver-b', opening.with(9, (opening[9] as number) ^ 1))],
    ],
  ] as const)('stays closed to %s', async (_, make) => {
    const [path, authorization] = await make(pathOf(newCeremony()));
    expect(await knock(path as string, authorization)).toBe('401 grant_invalid');
  });

  it.each([
    ['no ceremony', '/stream?shard=1'],
    ['an object that is not there', pathOf('ab'.repeat(32), 4)],
    ['a malformed object', pathOf('ab'.repeat(32), '1e0')],
    ['upper case', pathOf('AB'.repeat(32))],
  ])('refuses %s', async (_, path) => {
    expect(await knock(path, await token('deriver-a', path))).toBe('400 invalid_request');
  });
});
