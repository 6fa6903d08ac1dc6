import { Agent, type IncomingMessage, request } from 'node:http';
import { LIMITS } from '@streaming-yao/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRoles, type TestRoles } from './workerd.ts';

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles();
});
afterAll(() => running.stop());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean } };
}

async function send({
  method = 'POST',
  path = '/echo',
  headers = { 'content-type': 'application/json' },
  body = '{}',
}: Sent): Promise<Received> {
  const init = { method, headers, ...(method === 'GET' || method === 'HEAD' ? {} : { body: body as BodyInit }) };
  const response = await fetch(running.roles.router.url + path, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Received['body'] };
}

const json = 'application/json';
const overLimit = JSON.stringify('x'.repeat(LIMITS.bodyBytes));
const atLimit = JSON.stringify('x'.repeat(LIMITS.bodyBytes - 2));

const REFUSALS: readonly (readonly [string, Sent, number, string])[] = [
  ['a body that is not JSON', { body: '{"a":' }, 400, 'invalid_json'],
  ['an empty body', { body: '' }, 400, 'invalid_json'],
  ['a body that is not UTF-8', { body: Uint8Array.of(0x22, 0xff, 0x22) }, 400, 'invalid_json'],
  ['a body over the limit', { body: overLimit }, 413, 'payload_too_large'],
  ['a body of two megabytes', { body: 'x'.repeat(2_000_000) }, 413, 'payload_too_large'],
  ['a body over the limit of its path', { path: '/small', body: JSON.stringify('x'.repeat(99)) }, 413, 'payload_too_large'],
  ['no content type', { headers: {} }, 415, 'unsupported_media_type'],
  ['another content type', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ['a compressed body', { headers: { 'content-type': json, 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
  ['an unknown path', { path: '/nothing' }, 404, 'unknown_route'],
  ['a path that every object has', { path: '/constructor' }, 404, 'unknown_route'],
  ['a path with another ending', { path: '/echo/' }, 404, 'unknown_route'],
  ['the frame stream at a role that has none', { method: 'GET', path: '/stream' }, 404, 'unknown_route'],
  ['GET where POST is meant', { method: 'GET' }, 405, 'unsupported_method'],
  ['PUT', { method: 'PUT' }, 405, 'unsupported_method'],
  ['POST where GET is meant', { path: '/signed' }, 405, 'unsupported_method'],
  ['POST on health', { path: '/health' }, 405, 'unsupported_method'],
  ['a transaction outside an object', { path: '/transact-here' }, 500, 'internal'],
];

describe('refusals', () => {
  it.each(REFUSALS)('answers %s', async (_, sent, status, code) => {
    const { body, ...received } = await send(sent);
    expect([received.status, body.error?.code]).toEqual([status, code]);
    expect(Object.keys(body)).toEqual(['error']);
    expect(body.error?.message.length).toBeGreaterThan(10);
    expect(body.error?.retryable).toBe(code === 'internal');
    expect(received.headers.get('content-type')).toBe(json);
    expect(received.headers.get('cache-control')).toBe('no-store');
  });

  it('names the method that a path has', async () => {
    expect((await send({ method: 'PUT' })).headers.get('allow')).toBe('POST');
    expect((await send({ method: 'PUT', path: '/signed' })).headers.get('allow')).toBe('GET');
  });

  it('accepts a body of exactly the limit, and a content type with parameters', async () => {
    expect((await send({ body: atLimit })).status).toBe(200);
    expect((await send({ headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).status).toBe(200);
  });

  it('says nothing of an internal fault but that there was one', async () => {
    const { status, body } = await running.post('router', '/write', { writes: [], fail: 'fault' });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('PLANTED-SECRET');
  });
});

describe('one keep-alive connection', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  afterAll(() => agent.destroy());

  function post({ method = 'POST', path = '/echo', headers = { 'content-type': json }, body = '{}' }: Sent): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = new URL(running.roles.router.url);
      const outgoing = request({ agent, host, port, path, method, headers }, (response: IncomingMessage) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${JSON.parse(text).error?.code}`));
      });
      outgoing.on('socket', (socket) => sockets.add(socket));
      outgoing.on('error', reject);
      outgoing.end(method === 'GET' ? undefined : body);
    });
  }

  it('carries 100 refusals in a row, each with its JSON', async () => {
    for (let i = 0; i < 100; i++) {
      const [, sent, status, code] = REFUSALS[i % REFUSALS.length] as (typeof REFUSALS)[number];
      expect(await post(sent)).toBe(`${status} ${code}`);
    }
    expect(await post({})).toBe('200 undefined');
    expect(sockets.size).toBe(1);
  });
});

describe('health', () => {
  it('names role, deployment and profile', async () => {
    for (const role of ['router', 'deriver-a', 'deriver-b'] as const) {
      const response = await fetch(`${running.roles[role].url}/health`);
      expect(await response.json()).toEqual({ role, ready: true, deployment: 'test', profile: 'one-account' });
    }
  });
});
