import { connectRouter, memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { LIMITS, toHex } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { MESSAGE, newCredential, outcomeOf, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();

/** The same credential on a device that has nothing yet. */
const anew = ({ walletId, credential }: TestDevice): TestDevice =>
  new TestDevice(shared.stack, { walletId, credential, storage: memoryStorage() });

describe('credentials', () => {
  test('one that is removed is refused at once, everywhere', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register({ recovery: [newCredential('spare')] });
    const [own, spare] = await device.wallet.credentials();
    expect([own?.label, spare?.label]).toEqual(['device', 'spare']);
    const removed = newCredential('removed');
    await device.wallet.addCredential(removed);
    const holder = new TestDevice(shared.stack, { walletId: device.walletId, credential: removed });
    await holder.wallet.recover({ keepLanes: true });
    await device.wallet.removeCredential(removed.id);
    const stateless = new TestDevice(shared.stack, { walletId: device.walletId, credential: removed });
    const attempts = [
      () => holder.wallet.refresh(),
      () => holder.wallet.exportKey({ format: 'seed-hex' }),
      () => holder.wallet.revokeLane(1),
      () => holder.wallet.addCredential(newCredential()),
      () => stateless.wallet.recover(),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt())).toBe('authorization_invalid');
    expect(await signs(device, publicKey)).toBe(true);
  });

  test('a change that broke off half-way is finished by whatever comes next', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const added = newCredential('added');
    const { 'deriver-a': a } = shared.stack.roles;
    await a.down();
    expect(await outcomeOf(device.wallet.addCredential(added))).toBe('peer_failed');
    await a.up();
    // The SigningWorker names the new credential already, whose root the Router has still to take.
    expect((await device.wallet.credentials()).map(({ label }) => label)).toEqual(['device', 'added']);
    await device.wallet.addCredential(added);
    const holder = new TestDevice(shared.stack, { walletId: device.walletId, credential: added });
    await holder.wallet.recover({ keepLanes: true });
    expect(await signs(holder, publicKey)).toBe(true);
  });

  test('that were changed on another device are heard of by the next operation, which goes on', async () => {
    const asked: string[] = [];
    const inner = connectRouter(shared.stack.routerUrl);
    const router: RouterConnection = (path, body) => {
      asked.push(path);
      return inner(path, body);
    };
    const device = new TestDevice(shared.stack, { router });
    await device.wallet.register();
    const ceremony = ['/.well-known/streaming-yao', '/v1/ceremonies'];
    asked.length = 0;
    await device.wallet.refresh();
    expect(asked).toEqual([...ceremony, '/v1/lanes/confirm']);
    const other = anew(device);
    await other.wallet.recover({ keepLanes: true });
    await other.wallet.addCredential(newCredential('added elsewhere'));
    asked.length = 0;
    await device.wallet.refresh();
    expect(asked).toEqual([...ceremony, '/v1/lanes', ...ceremony, '/v1/lanes/confirm']);
    asked.length = 0;
    await device.wallet.exportKey({ format: 'seed-hex' });
    expect(asked).toEqual(ceremony);
  });

  test('the last one cannot be removed', async () => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    expect(await outcomeOf(device.wallet.removeCredential(device.credential.id))).toBe('invalid_request');
    expect(await device.wallet.credentials()).toHaveLength(1);
  });
});

describe('lanes', () => {
  test('a revoked one signs no more, the others do', async () => {
    const first = new TestDevice(shared.stack);
    const { publicKey } = await first.wallet.register();
    const second = anew(first);
    await second.wallet.recover({ keepLanes: true });
    await second.wallet.prefetch();
    await first.wallet.revokeLane(2);
    expect(await outcomeOf(second.wallet.sign(MESSAGE))).toBe('epoch_retired');
    expect(await outcomeOf(first.wallet.revokeLane(2))).toBe('done');
    expect(await outcomeOf(first.wallet.revokeLane(3))).toBe('lane_unknown');
    expect(await signs(first, publicKey)).toBe(true);
    expect((await first.wallet.lanes()).lanes.map(({ lane }) => lane)).toEqual([1]);
  });

  test('of one key there are at most sixteen', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    for (let i = 1; i < LIMITS.lanesPerKey; i++) await anew(device).wallet.recover({ keepLanes: true });
    expect(await outcomeOf(anew(device).wallet.recover({ keepLanes: true }))).toBe('busy');
    await device.wallet.revokeLane(7);
    const seventeenth = anew(device);
    await seventeenth.wallet.recover({ keepLanes: true });
    expect((await seventeenth.wallet.status())?.lane).toBe(17);
    expect(await signs(seventeenth, publicKey)).toBe(true);
  });
});

describe('keys of one wallet', () => {
  test('are independent, and at most sixteen', async () => {
    const device = new TestDevice(shared.stack);
    const publicKeys: Uint8Array[] = [];
    for (let keyIndex = 0; keyIndex < LIMITS.keysPerWallet; keyIndex++) {
      publicKeys.push((await device.wallet.register({ keyIndex })).publicKey);
    }
    expect(new Set(publicKeys.map(toHex)).size).toBe(LIMITS.keysPerWallet);
    expect(await outcomeOf(device.wallet.register({ keyIndex: 16 }))).toBe('busy');
    await device.wallet.refresh({ keyIndex: 3 });
    for (const keyIndex of [0, 3, 15]) expect(await signs(device, publicKeys[keyIndex] as Uint8Array, keyIndex)).toBe(true);
    expect(await outcomeOf(device.wallet.register({ keyIndex: 3 }))).toBe('key_exists');
  });
});
