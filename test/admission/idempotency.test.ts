import { randomUUID } from 'node:crypto';
import { LaneSigner } from '@streaming-yao/client/signer';
import { CeremonyAnswer, CeremonyRequest } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { authorizedRequest, registerKey } from '../stack/ceremonies.ts';
import { TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { steadyFetch } from './asking.ts';

const LIFE_MS = 4_000;
const running = sharedStack({ settings: { idempotencyLifeMs: LIFE_MS } });

interface Answered {
  readonly status: number;
  readonly body: { readonly error?: { readonly code: string } };
  readonly text: string;
}

async function post(path: string, body: unknown, key?: string): Promise<Answered> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const url = new URL(path, running.stack.routerUrl);
  const response = await steadyFetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

/** Signing requests as a device sends them, taken down instead of sent. */
async function recordedSignature(
  device: TestDevice,
  lane: Awaited<ReturnType<typeof registerKey>>['lane'],
  path: '/router-ab/ed25519/sign' | '/router-ab/ed25519/sign/share' = '/router-ab/ed25519/sign',
): Promise<unknown> {
  const signer = new LaneSigner(device.surroundings, lane);
  await device.stockUp(signer);
  let taken: unknown;
  const message = new Uint8Array([1, 2, 3]);
  const signing = path === '/router-ab/ed25519/sign' ? signer.sign(message) : signer.signWithoutPresign(message);
  const sent = device.run(signing, (effect, perform) => {
    if (effect.kind !== 'ask' || effect.path !== path) return perform(effect);
    taken = effect.body;
    throw new Error('taken down');
  });
  await expect(sent).rejects.toThrow('taken down');
  return taken;
}

describe('an idempotency key', () => {
  test('gives the same request the stored answer, also after a restart, and another body a refusal', async () => {
    const registered = await registerKey(new TestDevice(running.stack));
    const request = CeremonyRequest.toJson(await authorizedRequest(registered, 'refresh'));
    const other = CeremonyRequest.toJson(await authorizedRequest(registered, 'refresh'));
    const key = randomUUID();
    const first = await post('/v1/ceremonies', request, key);
    expect(first.status).toBe(200);
    expect(CeremonyAnswer.fromJson(JSON.parse(first.text)).activation).not.toBeNull();
    expect(await post('/v1/ceremonies', request, key)).toEqual(first);
    expect((await post('/v1/ceremonies', other, key)).body.error?.code).toBe('idempotency_mismatch');
    await running.stack.restart('router');
    expect(await post('/v1/ceremonies', request, key)).toEqual(first);
    const mismatch = await post('/v1/ceremonies', other, key);
    expect([mismatch.status, mismatch.body.error?.code]).toEqual([409, 'idempotency_mismatch']);
  });

  test('keeps a refusal that stays one, and not one that passes', async () => {
    const registered = await registerKey(new TestDevice(running.stack));
    const refused = CeremonyRequest.toJson(
      await authorizedRequest(registered, 'refresh', { registeredKey: new Uint8Array(32).fill(1) }),
    );
    const key = randomUUID();
    const first = await post('/v1/ceremonies', refused, key);
    expect(first.body.error?.code).toBe('key_mismatch');
    expect(await post('/v1/ceremonies', refused, key)).toEqual(first);
    const passing = CeremonyRequest.toJson(await authorizedRequest(registered, 'refresh'));
    const fresh = randomUUID();
    await running.stack.roles['signing-worker'].down();
    const broken = await post('/v1/ceremonies', passing, fresh);
    expect(broken.status).toBeGreaterThanOrEqual(500);
    await running.stack.roles['signing-worker'].up();
    expect(await post('/v1/ceremonies', passing, fresh)).not.toEqual(broken);
  });

  test('runs a request once however often it comes at once', async () => {
    const registered = await registerKey(new TestDevice(running.stack));
    const request = CeremonyRequest.toJson(await authorizedRequest(registered, 'refresh'));
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('/v1/ceremonies', request, key)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  test('covers signatures: two equal calls use one presign and give one signature', async () => {
    const device = new TestDevice(running.stack);
    const { lane } = await registerKey(device);
    const [request, other] = [await recordedSignature(device, lane), await recordedSignature(device, lane)];
    const key = randomUUID();
    const path = '/router-ab/ed25519/sign';
    const [one, two] = await Promise.all([post(path, request, key), post(path, request, key)]);
    expect(one?.status).toBe(200);
    expect(two).toEqual(one);
    expect(await post(path, request, key)).toEqual(one);
    expect((await post(path, other, key)).body.error?.code).toBe('idempotency_mismatch');
    // Without the key the SigningWorker's own memory answers, with fresh commitments, or says that the presign is spent.
    expect((await post(path, other)).status).toBe(200);
  });

  test('covers signatures without a presign: two equal calls get one share', async () => {
    const device = new TestDevice(running.stack);
    const { lane } = await registerKey(device);
    const path = '/router-ab/ed25519/sign/share';
    const [request, other] = [await recordedSignature(device, lane, path), await recordedSignature(device, lane, path)];
    const key = randomUUID();
    const [one, two] = await Promise.all([post(path, request, key), post(path, request, key)]);
    expect(one?.status).toBe(200);
    expect(two).toEqual(one);
    await running.stack.restart('signing-worker');
    expect(await post(path, request, key)).toEqual(one);
    expect((await post(path, other, key)).body.error?.code).toBe('idempotency_mismatch');
  });

  test('is forgotten in time: then the request runs anew', async () => {
    const device = new TestDevice(running.stack);
    const { lane } = await registerKey(device);
    const [request, other] = [await recordedSignature(device, lane), await recordedSignature(device, lane)];
    const key = randomUUID();
    const path = '/router-ab/ed25519/sign';
    expect((await post(path, request, key)).status).toBe(200);
    await expect.poll(async () => (await post(path, other, key)).status, { timeout: 3 * LIFE_MS, interval: 500 }).toBe(200);
  });

  test.each(['', 'with blank', 'x'.repeat(256), 'ключ'])('of the form "%s" is refused', async (key) => {
    const headers = new Headers({ 'content-type': 'application/json' });
    try {
      headers.set('idempotency-key', key);
    } catch {
      headers.set('idempotency-key', Buffer.from(key).toString('latin1'));
    }
    const url = new URL('/v1/lanes', running.stack.routerUrl);
    const { error } = (await (await fetch(url, { method: 'POST', headers, body: '{}' })).json()) as Answered['body'];
    expect(error?.code).toBe('invalid_request');
  });
});
