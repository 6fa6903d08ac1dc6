import { createDeviceKeys, prepareRequest, publicHalves } from '@streaming-yao/ceremony/client';
import type { Json } from '@streaming-yao/core';
import { CeremonyRequest } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { intentOf } from '../stack/ceremonies.ts';
import { secret, TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { connectWith, outcomes } from './asking.ts';

const HOUR = 3_600_000;
const running = sharedStack({
  admission: {
    limits: {
      register: { address: { count: 10, windowMs: HOUR }, wallet: { count: 3, windowMs: HOUR } },
      refresh: { wallet: { count: 2, windowMs: HOUR } },
      read: { address: { count: 5, windowMs: HOUR } },
      sign: { address: { count: 4, windowMs: HOUR } },
    },
  },
  settings: { signsPerMinute: 3 },
});

/** A device with a wallet of its own, at an address. */
function deviceAt(address: string): TestDevice {
  return new TestDevice(running.stack, { router: connectWith(running.stack.routerUrl, { 'cf-connecting-ip': address }) });
}

async function registration(device: TestDevice): Promise<CeremonyRequest> {
  const { surroundings } = device;
  const keys = publicHalves(surroundings, createDeviceKeys(surroundings));
  return device.run(prepareRequest(surroundings, await intentOf(device, 'register', null), secret(), keys));
}

async function readAt(address: string): Promise<Response> {
  const url = new URL('/v1/lanes', running.stack.routerUrl);
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': address };
  return fetch(url, { method: 'POST', headers, body: '{}' });
}

describe('by address', () => {
  test('of 100 registrations at once exactly as many are taken as the limit says, also after a restart', async () => {
    const devices = Array.from({ length: 100 }, () => deviceAt('203.0.113.7'));
    const requests: Json[] = [];
    for (const device of devices) requests.push(CeremonyRequest.toJson(await registration(device)));
    const answers = devices.map(({ router }, i) => router('/v1/ceremonies', requests[i]));
    expect(await outcomes(answers)).toEqual({ done: 10, rate_limited: 90 });
    await running.stack.restart('router');
    expect(await outcomes([deviceAt('203.0.113.7').wallet.register()])).toEqual({ rate_limited: 1 });
    expect(await outcomes([deviceAt('203.0.113.8').wallet.register()])).toEqual({ done: 1 });
  });

  test('signatures and what they fetch, by one object for all, also after a restart', async () => {
    const device = deviceAt('203.0.113.9');
    await device.wallet.register();
    const other = new TestDevice(running.stack, {
      ...{ walletId: device.walletId, credential: device.credential, storage: device.storage, router: device.router },
    });
    const message = new Uint8Array(3);
    // A full stock is one request, and the signature another; a miss would fetch the rest behind it.
    for (const { wallet } of [device, other]) {
      await wallet.prefetch();
      expect(await outcomes([wallet.sign(message)])).toEqual({ done: 1 });
    }
    expect(await outcomes([device.wallet.sign(message)])).toEqual({ rate_limited: 1 });
    await running.stack.restart('router');
    expect(await outcomes([device.wallet.sign(message)])).toEqual({ rate_limited: 1 });
  });

  test('a refusal says when to come again, in a header and in the error', async () => {
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await readAt('198.51.100.1'));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429]);
    const last = answers.at(-1) as Response;
    const { error } = (await last.json()) as { error: { code: string; retryable: boolean; retryAfterMs: number } };
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.retryAfterMs).toBeLessThanOrEqual(HOUR / 5);
    expect(Number(last.headers.get('retry-after'))).toBe(Math.ceil(error.retryAfterMs / 1000));
  });

  test('a whole IPv6 network is one address', async () => {
    const statuses = [];
    for (const host of ['1', '2:3:4:5', 'ffff::', '0:0:0:9', 'a:b:c:d'])
      statuses.push((await readAt(`2001:DB8:0:1:${host}`)).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    expect((await readAt('2001:db8:0:1::7')).status).toBe(429);
    expect((await readAt('2001:db8:0:2::7')).status).toBe(400);
    expect((await readAt('2001:db8::7')).status).toBe(400);
  });
});

describe('by wallet', () => {
  test('refreshes of one wallet, not of another, and not what the limit does not name', async () => {
    const [device, other] = [new TestDevice(running.stack), new TestDevice(running.stack)];
    await device.wallet.register();
    await other.wallet.register();
    const refreshes = [];
    for (let i = 0; i < 3; i++) refreshes.push(await outcomes([device.wallet.refresh()]));
    expect(refreshes).toEqual([{ done: 1 }, { done: 1 }, { rate_limited: 1 }]);
    expect(await outcomes([other.wallet.refresh()])).toEqual({ done: 1 });
    for (let i = 0; i < 3; i++) expect(await outcomes([other.wallet.exportKey({ format: 'seed-hex' })])).toEqual({ done: 1 });
  });

  test('signatures, and only those of its own device count', async () => {
    const device = new TestDevice(running.stack);
    await device.wallet.register();
    const message = new Uint8Array(3);
    for (let i = 0; i < 3; i++) expect(await outcomes([device.wallet.sign(message)])).toEqual({ done: 1 });
    await expect(device.wallet.sign(message)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) });
  });
});
