import { createDeviceKeys, prepareRequest, publicHalves } from '@streaming-yao/ceremony/client';
import { CeremonyRequest, Core } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { intentOf, registerKey } from '../stack/ceremonies.ts';
import { random, secret, TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { outcomes } from './asking.ts';

const running = sharedStack();

/** An authorized refresh whose nonce is given. */
async function refreshWith(device: TestDevice, publicKey: Uint8Array, nonce: Uint8Array): Promise<CeremonyRequest> {
  const intent = await intentOf(device, 'refresh', publicKey);
  const { surroundings } = device;
  const keys = publicHalves(createDeviceKeys(surroundings));
  let drawn = 0;
  // The nonce is the second of what a request draws, after the requester's seed.
  const fixed = { ...surroundings, random: (length: number) => (++drawn === 2 ? nonce : random(length)) };
  const request = await device.run(prepareRequest(fixed, intent, secret(), keys));
  expect(request.core.clientNonce).toEqual(nonce);
  return request;
}

describe('a client nonce', () => {
  test('counts once per wallet, also after a restart', async () => {
    const nonce = random(32);
    const [one, other] = [new TestDevice(running.stack), new TestDevice(running.stack)];
    const [first, second] = [await registerKey(one), await registerKey(other)];
    const ask = async (device: TestDevice, request: CeremonyRequest) =>
      outcomes([device.router('/v1/ceremonies', CeremonyRequest.toJson(request))]);
    const begun = await refreshWith(one, first.lane.publicKey, nonce);
    // Roots that do not fit end after the nonce was counted.
    expect(await ask(one, begun)).toEqual({ key_mismatch: 1 });
    const again = await refreshWith(one, first.lane.publicKey, nonce);
    expect(Core.digest(again.core)).not.toEqual(Core.digest(begun.core));
    expect(await ask(one, again)).toEqual({ nonce_replayed: 1 });
    await running.stack.restart('router');
    expect(await ask(one, again)).toEqual({ nonce_replayed: 1 });
    expect(await ask(other, await refreshWith(other, second.lane.publicKey, nonce))).toEqual({ key_mismatch: 1 });
    expect(await ask(one, await refreshWith(one, first.lane.publicKey, random(32)))).toEqual({ key_mismatch: 1 });
  });
});
