import { connectRouter, memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { LIMITS, toHex } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { MESSAGE, newCredential, outcomeOf, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { recordsOf } from './storage.ts';

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
    // From now on every role has heard of the key.
    await device.wallet.refresh();
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

  test('are the wallet’s, whichever keys it has', async () => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register({ keyIndex: 5 });
    const added = newCredential('added');
    await device.wallet.addCredential(added);
    expect((await device.wallet.credentials()).map(({ label }) => label)).toEqual(['device', 'added']);
    await device.wallet.removeCredential(added.id);
    expect(await outcomeOf(device.wallet.lanes())).toBe('unknown_wallet');
    expect(await outcomeOf(anew(device).wallet.recover())).toBe('unknown_wallet');
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

  const namesOf = async ({ wallet }: TestDevice) => (await wallet.lanes()).lanes.map(({ lane, name }) => [lane, name]);

  test('bear the names of their devices, until they end', async () => {
    const first = new TestDevice(shared.stack, { deviceName: 'laptop' });
    await first.wallet.register();
    const { walletId, credential } = first;
    const second = new TestDevice(shared.stack, { walletId, credential, deviceName: 'Anna’s phone' });
    await second.wallet.recover({ keepLanes: true });
    const third = new TestDevice(shared.stack, { walletId });
    const { keys, offer } = third.wallet.offerLink();
    await third.wallet.acceptLink(await first.wallet.approveLink(offer), keys);
    expect(await namesOf(first)).toEqual([
      [1, 'laptop'],
      [2, 'Anna’s phone'],
      [3, null],
    ]);
    // Its own name by its lane key, others' by a credential, which this device's is not.
    await third.wallet.nameLane(3, 'tablet');
    expect(await outcomeOf(third.wallet.nameLane(1, 'mine'))).toBe('authorization_invalid');
    await first.wallet.nameLane(2, 'lost phone');
    await first.wallet.refresh();
    await first.wallet.revokeLane(3);
    expect(await namesOf(first)).toEqual([
      [1, 'laptop'],
      [2, 'lost phone'],
    ]);
    expect(await outcomeOf(first.wallet.nameLane(3, 'tablet'))).toBe('epoch_retired');
    expect(await outcomeOf(first.wallet.nameLane(4, 'tablet'))).toBe('lane_unknown');
    const names = (await recordsOf(shared.stack, 'signing-worker')).filter(({ table }) => table === 'lane-name');
    expect(names.filter(({ value }) => Buffer.from(value).includes('tablet'))).toEqual([]);
  });

  test.each(['', '   ', 'two\nlines', 'x'.repeat(65)])('are not called %j', async (name) => {
    const silent: RouterConnection = () => Promise.reject(new Error('asked'));
    const device = new TestDevice(shared.stack, { router: silent });
    expect(await outcomeOf(device.wallet.nameLane(1, name))).toBe('invalid_request');
    expect(() => new TestDevice(shared.stack, { deviceName: name })).toThrow('1 to 64 bytes');
  });

  test('and their names are what the SigningWorker states, whoever relays them', async () => {
    const device = new TestDevice(shared.stack, { deviceName: 'laptop' });
    await device.wallet.register();
    const { walletId, credential, storage } = device;
    let naming: unknown;
    let relayed: unknown;
    const under = (change: (answer: unknown) => unknown) => {
      const router: RouterConnection = async (path, body) => {
        if (path === '/v1/lanes/name') naming = body;
        const answer = await device.router(path, body);
        return path === '/v1/lanes' ? change(answer) : answer;
      };
      return new TestDevice(shared.stack, { walletId, credential, storage, router }).wallet;
    };
    const honest = under((answer) => {
      relayed = answer;
      return answer;
    });
    await honest.lanes();
    await honest.nameLane(1, 'phone');
    const forging = under((answer) => JSON.parse(JSON.stringify(answer).replace('phone', 'other')));
    expect(await outcomeOf(forging.lanes())).toBe('receipt_invalid');
    // Neither an earlier list nor an earlier naming passes for a later one.
    expect(await outcomeOf(under(() => relayed).lanes())).toBe('receipt_invalid');
    await device.wallet.nameLane(1, 'desk');
    expect(await outcomeOf(device.router('/v1/lanes/name', naming))).toBe('request_expired');
    expect(await namesOf(device)).toEqual([[1, 'desk']]);
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
