import { describe, expect, test } from 'vitest';
import { sharedStack } from '../stack/shared-stack.ts';

const LISTED = 'https://app.example';
const running = sharedStack({ admission: { origins: [LISTED, 'http://localhost:9999'] } });

async function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(new URL(path, running.stack.routerUrl), { method, headers, ...(method === 'POST' && { body: '{}' }) });
}

const preflightFrom = (origin: string): Promise<Response> =>
  ask('OPTIONS', '/v1/ceremonies', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  });

describe('pages of other origins', () => {
  test('that are listed may ask and read', async () => {
    const answer = await preflightFrom(LISTED);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(LISTED);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect(answer.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toContain('origin');
    const refused = await ask('POST', '/v1/ceremonies', { origin: LISTED, 'content-type': 'application/json' });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('access-control-allow-origin')).toBe(LISTED);
    expect(refused.headers.get('access-control-expose-headers')).toContain('retry-after');
  });

  test.each(['https://evil.example', `${LISTED}.evil.example`, `${LISTED}:8443`, 'http://app.example', 'null'])(
    '%s may not',
    async (origin) => {
      for (const answer of [await preflightFrom(origin), await ask('GET', '/.well-known/streaming-yao', { origin })]) {
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        expect(answer.headers.get('vary')).toContain('origin');
      }
      expect((await preflightFrom(origin)).headers.get('access-control-allow-methods')).toBeNull();
    },
  );
});

test.each([
  ['GET', '/health', 200],
  ['GET', '/nowhere', 404],
  ['GET', '/v1/ceremonies', 405],
  ['POST', '/v1/lanes', 415],
  ['OPTIONS', '/v1/lanes', 405],
  ['POST', '/admit', 404],
])('%s %s tells browsers to be careful', async (method, path, status) => {
  const answer = await ask(method, path);
  expect(answer.status).toBe(status);
  const headers = Object.fromEntries(answer.headers);
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
});

test('what a deployment says of itself may be kept for a while', async () => {
  const answer = await ask('GET', '/.well-known/streaming-yao');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
  expect(await answer.json()).toMatchObject({
    protocol: 'streaming-yao/1',
    deployment: 'local',
    profile: 'one-account',
    rpId: 'localhost',
    limits: { bodyBytes: 65536, keysPerWallet: 16 },
  });
});
