import { setTimeout as wait } from 'node:timers/promises';
import { connectRouter, type RouterConnection } from '@streaming-yao/client';
import { describe, expect, test } from 'vitest';
import { newCredential, outcomeOf, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();

const deviceOf = ({ walletId }: TestDevice, credential: TestDevice['credential']): TestDevice =>
  new TestDevice(shared.stack, { walletId, credential });

/** How much later than the other one an operation begins, in milliseconds: at the same time, or in its midst. */
const DELAYS = [0, 5, 10, 20, 40];

describe.each(DELAYS)('a change of credentials that begins %i ms after', (delayMs) => {
  test.each(['refresh', 'export'] as const)('a %s is not taken back by it', async (operation) => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const added = newCredential('added');
    const act = operation === 'refresh' ? device.wallet.refresh() : device.wallet.exportKey({ format: 'seed-hex' });
    const change = wait(delayMs).then(() => device.wallet.addCredential(added));
    const [outcome] = await Promise.all([outcomeOf(act), change]);
    expect(['done', 'authority_mismatch', 'peer_failed']).toContain(outcome);
    expect((await device.wallet.credentials()).map(({ label }) => label)).toEqual(['device', 'added']);
    for (const credential of [added, device.credential]) {
      const recovered = deviceOf(device, credential);
      await recovered.wallet.recover({ keepLanes: true });
      expect(await signs(recovered, publicKey)).toBe(true);
    }
    await device.wallet.removeCredential(added.id);
    expect(await outcomeOf(deviceOf(device, added).wallet.recover())).toBe('authorization_invalid');
    await device.wallet.refresh();
  });
});

/** What a registration hears that was not the first. */
const LATE = ['key_exists', 'authority_mismatch', 'authorization_invalid', 'unknown_wallet', 'epoch_conflict', 'peer_failed'];

describe.each(DELAYS)('of two first registrations of a wallet, %i ms apart,', (delayMs) => {
  test.each([
    ['the same key, by two credentials', newCredential('rival'), 0],
    ['two keys, by two credentials', newCredential('rival'), 1],
    ['the same key, by one credential', undefined, 0],
    ['two keys, by one credential', undefined, 1],
  ])('of %s: whoever was told that it is done has a whole wallet', async (_, rivalCredential, keyIndex) => {
    const first = new TestDevice(shared.stack);
    const rival = deviceOf(first, rivalCredential ?? first.credential);
    const outcomes = await Promise.all([
      outcomeOf(first.wallet.register()),
      wait(delayMs).then(() => outcomeOf(rival.wallet.register({ keyIndex }))),
    ]);
    for (const outcome of outcomes) expect(['done', ...LATE]).toContain(outcome);
    expect(outcomes).toContain('done');
    for (const [i, device] of [first, rival].entries()) {
      if (outcomes[i] !== 'done') continue;
      const key = { keyIndex: device === rival ? keyIndex : 0 };
      const publicKey = await device.wallet.publicKey(key);
      await device.wallet.refresh(key);
      expect(await signs(device, publicKey, key.keyIndex)).toBe(true);
      const recovered = deviceOf(device, device.credential);
      expect((await recovered.wallet.recover(key)).publicKey).toEqual(publicKey);
      await recovered.wallet.exportKey({ ...key, format: 'seed-hex' });
    }
  });
});

test('what a removed credential has approved of, and nobody has confirmed, ends with it', async () => {
  const device = new TestDevice(shared.stack);
  const { publicKey } = await device.wallet.register();
  const [stolen, kept] = [newCredential('stolen'), newCredential('kept')];
  for (const credential of [stolen, kept]) await device.wallet.addCredential(credential);
  const router = connectRouter(shared.stack.routerUrl);
  let cut = true;
  const unconfirming: RouterConnection = async (path, body) => {
    if (cut && path === '/v1/lanes/confirm') throw new Error('not yet');
    return router(path, body);
  };
  const thief = new TestDevice(shared.stack, { walletId: device.walletId, credential: stolen, router: unconfirming });
  await expect(thief.wallet.recover()).rejects.toThrow('not yet');
  await device.wallet.removeCredential(stolen.id);
  cut = false;
  expect(await thief.wallet.resume()).toBe(false);
  expect(await thief.wallet.status()).toBeUndefined();
  expect(await signs(device, publicKey)).toBe(true);
  // What another credential has approved of waits on.
  cut = true;
  const friend = new TestDevice(shared.stack, { walletId: device.walletId, credential: kept, router: unconfirming });
  await expect(friend.wallet.recover({ keepLanes: true })).rejects.toThrow('not yet');
  await device.wallet.addCredential(newCredential('another'));
  cut = false;
  expect(await friend.wallet.resume()).toBe(true);
  expect(await signs(friend, publicKey)).toBe(true);
});

test.each([0, 1, 2, 3, 5, 8])(
  'a signing session that is opened %i ms before its credential is removed ends with it',
  async (delayMs) => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const stolen = newCredential('stolen');
    await device.wallet.addCredential(stolen);
    const thief = deviceOf(device, stolen);
    await thief.wallet.recover({ keepLanes: true });
    const opened = outcomeOf(thief.wallet.openSession({ uses: 100, minutes: 5 }));
    await Promise.all([opened, wait(delayMs).then(() => device.wallet.removeCredential(stolen.id))]);
    expect(['done', 'authorization_invalid']).toContain(await opened);
    expect(await thief.wallet.sessions()).toEqual([]);
  },
);
