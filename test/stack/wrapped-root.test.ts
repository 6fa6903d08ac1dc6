import { connectRouter, memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { equalBytes } from '@streaming-yao/core';
import { CeremonyRequest, ChangeAuthority, type StoreRoot } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { newCredential, outcomeOf, random, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();

/** The same credential on a device that has nothing yet. */
const anew = ({ walletId, credential }: TestDevice): TestDevice =>
  new TestDevice(shared.stack, { walletId, credential, storage: memoryStorage() });

/** Lets `change` see, and change, what a device asks of the Router. */
function asking(change: (path: string, body: unknown) => unknown): RouterConnection {
  const inner = connectRouter(shared.stack.routerUrl);
  return async (path, body) => inner(path, await change(path, body));
}

describe('the wallet’s first root', () => {
  test('travels with the registration: two requests, for any number of credentials', async () => {
    const asked: string[] = [];
    const router = asking((path, body) => {
      asked.push(path);
      return body;
    });
    const device = new TestDevice(shared.stack, { router });
    const spares = [newCredential('phrase'), newCredential('key')];
    const { publicKey } = await device.wallet.register({ recovery: spares });
    expect(asked.filter((path) => path !== '/v1/roots')).toEqual(['/.well-known/streaming-yao', '/v1/ceremonies']);
    for (const credential of spares) {
      const holder = new TestDevice(shared.stack, { walletId: device.walletId, credential });
      await holder.wallet.recover({ keepLanes: true });
      expect(await signs(holder, publicKey)).toBe(true);
    }
  });

  test('is stored even if whoever registers never asks again', async () => {
    const device = new TestDevice(shared.stack, {
      router: asking((path, body) => {
        if (path === '/v1/roots') throw new Error('the app was closed');
        return body;
      }),
    });
    const { publicKey } = await device.wallet.register();
    const other = anew(device);
    expect((await other.wallet.recover()).publicKey).toEqual(publicKey);
  });

  test('of another wallet is refused with the registration, and nothing is stored', async () => {
    const foreign = new TestDevice(shared.stack);
    let brought: readonly StoreRoot[] = [];
    const keep = asking((path, body) => {
      if (path === '/v1/ceremonies') brought = CeremonyRequest.fromJson(body).roots;
      return body;
    });
    await new TestDevice(shared.stack, {
      walletId: foreign.walletId,
      credential: foreign.credential,
      router: keep,
    }).wallet.register();
    const swap = asking((path, body) =>
      path === '/v1/ceremonies' ? CeremonyRequest.toJson({ ...CeremonyRequest.fromJson(body), roots: brought }) : body,
    );
    const device = new TestDevice(shared.stack, { router: swap });
    expect(await outcomeOf(device.wallet.register())).toBe('request_mismatch');
    expect(await outcomeOf(anew(device).wallet.recover())).toBe('unknown_wallet');
  });

  test('that its credential did not sign for is refused with the registration', async () => {
    const forge = asking((path, body) => {
      if (path !== '/v1/ceremonies') return body;
      const request = CeremonyRequest.fromJson(body);
      return CeremonyRequest.toJson({ ...request, roots: request.roots.map((root) => ({ ...root, signature: random(64) })) });
    });
    const device = new TestDevice(shared.stack, { router: forge });
    expect(await outcomeOf(device.wallet.register())).toBe('authorization_invalid');
    expect(await outcomeOf(anew(device).wallet.recover())).toBe('unknown_wallet');
  });
});

describe('a root that is stored is never replaced by another one', () => {
  test('when a device without state registers a registered key', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    expect(await outcomeOf(anew(device).wallet.register())).toBe('key_exists');
    const recovered = anew(device);
    expect((await recovered.wallet.recover()).publicKey).toEqual(publicKey);
    expect(await signs(recovered, publicKey)).toBe(true);
  });

  test('when a device without state makes the wallet’s second key', async () => {
    const device = new TestDevice(shared.stack);
    const first = await device.wallet.register();
    const second = await anew(device).wallet.register({ keyIndex: 1 });
    expect(equalBytes(first.publicKey, second.publicKey)).toBe(false);
    const third = anew(device);
    expect((await third.wallet.recover({ keyIndex: 0 })).publicKey).toEqual(first.publicKey);
    expect((await third.wallet.recover({ keyIndex: 1 })).publicKey).toEqual(second.publicKey);
  });

  test('when a registration came to nothing and the device is lost: the next one begins with its root', async () => {
    const lost = new TestDevice(shared.stack);
    const { 'deriver-a': a } = shared.stack.roles;
    await a.down();
    expect(await outcomeOf(lost.wallet.register())).toBe('peer_failed');
    await a.up();
    const device = anew(lost);
    const { publicKey } = await device.wallet.register({ recovery: [newCredential('phrase')] });
    expect((await anew(lost).wallet.recover()).publicKey).toEqual(publicKey);
  });

  test('when a device that has changed to another credential makes the wallet’s second key', async () => {
    const { walletId, storage, wallet } = new TestDevice(shared.stack);
    const credential = newCredential('added');
    await wallet.register();
    await wallet.addCredential(credential);
    const changed = new TestDevice(shared.stack, { walletId, storage, credential });
    const { publicKey } = await changed.wallet.register({ keyIndex: 1 });
    expect((await anew(changed).wallet.recover({ keyIndex: 1 })).publicKey).toEqual(publicKey);
  });

  test('when credentials were changed elsewhere before this device makes the second key', async () => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const other = anew(device);
    await other.wallet.recover({ keepLanes: true });
    await other.wallet.addCredential(newCredential('added elsewhere'));
    const { publicKey } = await device.wallet.register({ keyIndex: 1 });
    expect((await anew(device).wallet.recover({ keyIndex: 1 })).publicKey).toEqual(publicKey);
  });

  test('when a device that has changed to another credential adds a third one', async () => {
    const { walletId, storage, wallet } = new TestDevice(shared.stack);
    const [second, third] = [newCredential('second'), newCredential('third')];
    const { publicKey } = await wallet.register();
    await wallet.addCredential(second);
    await new TestDevice(shared.stack, { walletId, storage, credential: second }).wallet.addCredential(third);
    const holder = new TestDevice(shared.stack, { walletId, credential: third });
    expect((await holder.wallet.recover()).publicKey).toEqual(publicKey);
  });
});

test('a credential is the wallet’s only together with the root that is wrapped for it, whatever is lost then', async () => {
  const device = new TestDevice(shared.stack);
  const { publicKey } = await device.wallet.register();
  const { walletId, credential, storage } = device;
  let asked = 0;
  const dying = asking((path, body) => {
    if (path === '/v1/authority') asked++;
    else if (asked > 0) throw new Error('the app was closed');
    return body;
  });
  const added = newCredential('added');
  await new TestDevice(shared.stack, { walletId, credential, storage, router: dying }).wallet.addCredential(added);
  expect(asked).toBe(1);
  const holder = new TestDevice(shared.stack, { walletId, credential: added });
  expect((await holder.wallet.recover({ keepLanes: true })).publicKey).toEqual(publicKey);
  const forge = asking((path, body) => {
    if (path !== '/v1/authority') return body;
    const change = ChangeAuthority.fromJson(body);
    return ChangeAuthority.toJson({ ...change, roots: change.roots.map((root) => ({ ...root, signature: random(64) })) });
  });
  const forging = new TestDevice(shared.stack, { walletId, credential, storage, router: forge });
  expect(await outcomeOf(forging.wallet.addCredential(newCredential('forged')))).toBe('authorization_invalid');
  expect((await device.wallet.credentials()).map(({ label }) => label)).toEqual(['device', 'added']);
});
