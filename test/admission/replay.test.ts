import { createDeviceKeys, prepareRequest, publicHalves } from '@streaming-yao/ceremony/client';
import { CeremonyRequest, Core } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { intentOf, type RegisteredKey, registerKey } from '../stack/ceremonies.ts';
import { random, TestDevice } from '../stack/device.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { outcomes } from './asking.ts';

const running = sharedStack();

/** An authorized export whose nonce is given. */
async function exportWith({ device, root, lane }: RegisteredKey, nonce: Uint8Array): Promise<CeremonyRequest> {
  const intent = await intentOf(device, 'export', lane.publicKey);
  const { surroundings } = device;
  const keys = publicHalves(surroundings, createDeviceKeys(surroundings));
  let drawn = 0;
  // The nonce is the second of what a request draws, after the requester's seed.
  const fixed = { ...surroundings, random: (length: number) => (++drawn === 2 ? nonce : random(length)) };
  const request = await device.run(prepareRequest(fixed, intent, root, keys));
  expect(request.core.clientNonce).toEqual(nonce);
  return request;
}

describe('a client nonce', () => {
  test('counts once per wallet, also after a restart', async () => {
    const nonce = random(32);
    const [one, other] = [await registerKey(new TestDevice(running.stack)), await registerKey(new TestDevice(running.stack))];
    const ask = async ({ device }: RegisteredKey, request: CeremonyRequest) =>
      outcomes([device.router('/v1/ceremonies', CeremonyRequest.toJson(request))]);
    const begun = await exportWith(one, nonce);
    expect(await ask(one, begun)).toEqual({ done: 1 });
    // The same request again is the same ceremony, and no replay.
    expect(await ask(one, begun)).toEqual({ done: 1 });
    const again = await exportWith(one, nonce);
    expect(Core.digest(again.core)).not.toEqual(Core.digest(begun.core));
    expect(await ask(one, again)).toEqual({ nonce_replayed: 1 });
    await running.stack.restart('router');
    expect(await ask(one, again)).toEqual({ nonce_replayed: 1 });
    expect(await ask(other, await exportWith(other, nonce))).toEqual({ done: 1 });
    expect(await ask(one, await exportWith(one, random(32)))).toEqual({ done: 1 });
  });
});
