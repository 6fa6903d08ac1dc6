import { createPrivateKey, createPublicKey } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  createRecoveryPhrase,
  formatKey,
  KEY_FORMATS,
  memoryStorage,
  type RouterConnection,
  recoveryCredential,
  type Storage,
} from '@streaming-yao/client';
import { decodeLane, laneName } from '@streaming-yao/client/lane-record';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { ACTIVATION_HEADER, Activation, type CeremonyAnswer, fromCompact } from '@streaming-yao/wire';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { group, MESSAGE, newCredential, outcomeOf, random, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { Tap } from './tap.ts';

const taps: Tap[] = [];
/** What the Derivers were asked. */
const asked: string[] = [];

const shared = sharedStack({
  between: async (_, callee, port) => {
    if (callee === 'signing-worker') return port;
    const tap = await Tap.open(port, ({ direction, path, bytes }) => {
      const frame = path.startsWith('/stream') && !Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from('GET '));
      if (direction === 'to-callee' && !frame) asked.push(`${callee} ${path.split('?')[0]}`);
    });
    taps.push(tap);
    return tap.port;
  },
});
afterAll(() => {
  for (const tap of taps) tap.close();
});
beforeEach(() => {
  asked.length = 0;
});

/** A registration is told to the Derivers after its answer. */
const bothNotified = () => expect.poll(() => asked.filter((path) => path.endsWith('/activated')).length).toBe(2);

/** The same storage, as it was at this moment. */
async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage();
  for (const name of await storage.names('')) {
    using record = await storage.get(name);
    await copy.set(name, record);
  }
  return copy;
}

const clone = (device: TestDevice, storage: Storage): TestDevice =>
  new TestDevice(shared.stack, { walletId: device.walletId, credential: device.credential, storage });

async function clientShare({ storage, walletId }: TestDevice, keyIndex = 0): Promise<string> {
  using record = (await storage.get(laneName(walletId, keyIndex))) as SecretBytes;
  return decodeLane(record).share.use(toHex);
}

function serverShare(answer: CeremonyAnswer): string {
  const { payload } = fromCompact(ACTIVATION_HEADER, answer.activation as string, 'receipt_invalid');
  return toHex(Activation.decode(payload).serverShare);
}

describe('recover', () => {
  test('from the phrase alone, on a device without any state: same key, the old device is refused', async () => {
    const phrase = createRecoveryPhrase(random);
    const lost = new TestDevice(shared.stack);
    const { publicKey } = await lost.wallet.register({ recovery: [recoveryCredential(group, phrase)] });
    const { walletId } = lost;
    const fresh = new TestDevice(shared.stack, { walletId, credential: recoveryCredential(group, phrase) });
    expect((await fresh.wallet.recover()).publicKey).toEqual(publicKey);
    expect(await signs(fresh, publicKey)).toBe(true);
    expect(await outcomeOf(lost.wallet.sign(MESSAGE))).toBe('epoch_retired');
    expect(await outcomeOf(lost.wallet.refresh())).toBe('epoch_retired');
    expect((await fresh.wallet.lanes()).lanes.map(({ lane, epoch }) => [lane, epoch])).toEqual([[2, 1]]);
  });

  test('keeping the other lanes: both devices sign', async () => {
    const first = new TestDevice(shared.stack);
    const { publicKey } = await first.wallet.register();
    const second = clone(first, memoryStorage());
    await second.wallet.recover({ keepLanes: true });
    expect(await Promise.all([signs(first, publicKey), signs(second, publicKey)])).toEqual([true, true]);
    expect((await first.wallet.lanes()).lanes.map(({ lane }) => lane)).toEqual([1, 2]);
  });

  test('a wrong phrase opens nothing and changes nothing', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register({ recovery: [recoveryCredential(group, createRecoveryPhrase(random))] });
    const credential = recoveryCredential(group, createRecoveryPhrase(random));
    const stranger = new TestDevice(shared.stack, { walletId: device.walletId, credential });
    expect(await outcomeOf(stranger.wallet.recover())).toBe('authorization_invalid');
    expect(await stranger.storage.names('')).toEqual([]);
    expect(await signs(device, publicKey)).toBe(true);
  });
});

describe('refresh', () => {
  test('replaces both shares, keeps the key, and leaves the old pair useless', async () => {
    const device = new TestDevice(shared.stack);
    const registered = await device.wallet.register();
    const [before, stolen] = [await clientShare(device), await copyOf(device.storage)];
    const refreshed = await device.wallet.refresh();
    expect(refreshed.publicKey).toEqual(registered.publicKey);
    expect(await clientShare(device)).not.toBe(before);
    expect(serverShare(refreshed.answer)).not.toBe(serverShare(registered.answer));
    expect(await device.wallet.status()).toMatchObject({ lane: 1, epoch: 2, derivationConfirmed: true });
    expect(await signs(device, registered.publicKey)).toBe(true);
    const thief = clone(device, stolen);
    expect(await outcomeOf(thief.wallet.sign(MESSAGE))).toBe('epoch_retired');
    expect(await outcomeOf(thief.wallet.refresh())).toBe('epoch_mismatch');
    expect(await signs(device, registered.publicKey)).toBe(true);
  });

  test('fifty times in a row: one key, a signature under every epoch', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const shares = new Set([await clientShare(device)]);
    for (let i = 0; i < 50; i++) {
      expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
      expect(await signs(device, publicKey)).toBe(true);
      shares.add(await clientShare(device));
    }
    expect([shares.size, (await device.wallet.status())?.epoch]).toEqual([51, 51]);
  });
});

describe('link', () => {
  test('with a new lane: the new device signs, holds nothing but its lane, and may do nothing else', async () => {
    const first = new TestDevice(shared.stack);
    const { publicKey } = await first.wallet.register();
    const second = new TestDevice(shared.stack, { walletId: first.walletId, credential: newCredential('second') });
    const { keys, offer } = second.wallet.offerLink();
    const facts = await first.wallet.approveLink(offer);
    expect(await second.wallet.acceptLink(facts, keys)).toEqual(publicKey);
    expect(await Promise.all([signs(first, publicKey), signs(second, publicKey)])).toEqual([true, true]);
    expect(await second.storage.names('')).toEqual([laneName(second.walletId, 0)]);
    expect(await outcomeOf(second.wallet.refresh())).toBe('authorization_invalid');
    expect(await outcomeOf(second.wallet.exportKey({ format: 'seed-hex' }))).toBe('authorization_invalid');
    expect(await outcomeOf(second.wallet.revokeLane(1))).toBe('authorization_invalid');
  });

  test('approved twice because the first answer was lost: one ceremony', async () => {
    const first = new TestDevice(shared.stack);
    await first.wallet.register();
    let lost = 0;
    const losing: RouterConnection = async (path, body) => {
      const answer = await first.router(path, body);
      if (path === '/v1/ceremonies' && lost++ === 0) throw new Error('the answer was lost');
      return answer;
    };
    const { walletId, credential, storage } = first;
    const approving = new TestDevice(shared.stack, { walletId, credential, storage, router: losing });
    const second = new TestDevice(shared.stack, { walletId });
    const { keys, offer } = second.wallet.offerLink();
    asked.length = 0;
    await expect(approving.wallet.approveLink(offer)).rejects.toThrow('lost');
    await second.wallet.acceptLink(await approving.wallet.approveLink(offer), keys);
    expect(asked.filter((path) => path === 'deriver-b /stream')).toHaveLength(1);
    expect(await signs(second, await first.wallet.publicKey())).toBe(true);
  });

  test('taken over twice because the answer to its confirmation was lost: the same lane', async () => {
    const first = new TestDevice(shared.stack);
    const { publicKey } = await first.wallet.register();
    let lost = 0;
    const router: RouterConnection = async (path, body) => {
      const answer = await first.router(path, body);
      if (path === '/v1/lanes/confirm' && lost++ === 0) throw new Error('the answer was lost');
      return answer;
    };
    const second = new TestDevice(shared.stack, { walletId: first.walletId, router });
    const { keys, offer } = second.wallet.offerLink();
    const facts = await first.wallet.approveLink(offer);
    await expect(second.wallet.acceptLink(facts, keys)).rejects.toThrow('lost');
    expect(await second.wallet.acceptLink(facts, keys)).toEqual(publicKey);
    expect([await signs(second, publicKey), (await second.wallet.status())?.lane]).toEqual([true, 2]);
  });

  test('the new device takes only what was approved', async () => {
    const [first, other] = [new TestDevice(shared.stack), new TestDevice(shared.stack)];
    await first.wallet.register();
    const foreign = await other.wallet.register();
    const second = new TestDevice(shared.stack, { walletId: first.walletId });
    const { keys, offer } = second.wallet.offerLink();
    const facts = await first.wallet.approveLink(offer);
    expect(await outcomeOf(second.wallet.acceptLink({ ...facts, publicKey: foreign.publicKey }, keys))).toBe('request_mismatch');
    expect(await second.storage.names('')).toEqual([]);
  });

  test('without a lane: a credential more, and no Deriver computes anything', async () => {
    const first = new TestDevice(shared.stack);
    const { publicKey } = await first.wallet.register();
    const added = newCredential('tablet');
    await bothNotified();
    asked.length = 0;
    await first.wallet.addCredential(added);
    expect(asked.toSorted()).toEqual(['deriver-a /authority', 'deriver-b /authority']);
    expect((await first.wallet.credentials()).map(({ label }) => label)).toEqual(['device', 'tablet']);
    const tablet = new TestDevice(shared.stack, { walletId: first.walletId, credential: added });
    await tablet.wallet.recover({ keepLanes: true });
    expect(await signs(tablet, publicKey)).toBe(true);
  });
});

describe('export', () => {
  test('gives the registered key in every format', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const { key: hex } = await device.wallet.exportKey({ format: 'seed-hex' });
    const seed = SecretBytes.own(Uint8Array.from(Buffer.from(hex as string, 'hex')));
    expect(seed.use((bytes) => ed25519.getPublicKey(bytes))).toEqual(publicKey);
    for (const format of KEY_FORMATS) {
      expect((await device.wallet.exportKey({ format })).key).toEqual(formatKey(format, seed, publicKey));
    }
    const { key: pem } = await device.wallet.exportKey({ format: 'pkcs8-pem' });
    const { x } = createPublicKey(createPrivateKey(pem as string)).export({ format: 'jwk' });
    expect(x).toBe(Buffer.from(publicKey).toString('base64url'));
    expect(await signs(device, publicKey)).toBe(true);
  });

  test('in an unknown format is refused before anybody is asked', async () => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const silent: RouterConnection = () => Promise.reject(new Error('asked'));
    const { walletId, credential, storage } = device;
    const { wallet } = new TestDevice(shared.stack, { walletId, credential, storage, router: silent });
    expect(await outcomeOf(wallet.exportKey({ format: 'pem' as 'pkcs8-pem' }))).toBe('unknown_format');
  });
});

describe('a second derivation', () => {
  test('follows a registration by itself', async () => {
    const device = new TestDevice(shared.stack, { secondDerivation: true });
    const { publicKey } = await device.wallet.register();
    expect(await device.wallet.confirmDerivation()).toBe(true);
    expect(await device.wallet.status()).toMatchObject({ lane: 1, epoch: 2, derivationConfirmed: true });
    expect(await signs(device, publicKey)).toBe(true);
    expect(asked.filter((path) => path === 'deriver-b /stream')).toHaveLength(2);
  });

  test('that fails leaves the key unconfirmed, and is made up for', async () => {
    const { router } = new TestDevice(shared.stack);
    let ceremonies = 0;
    const failing: RouterConnection = (path, body) => {
      if (path === '/v1/ceremonies' && ++ceremonies === 2) return Promise.reject(new Error('no network'));
      return router(path, body);
    };
    const device = new TestDevice(shared.stack, { secondDerivation: true, router: failing });
    const { publicKey } = await device.wallet.register();
    expect(await signs(device, publicKey)).toBe(true);
    await expect.poll(() => ceremonies).toBe(2);
    expect(await device.wallet.status()).toMatchObject({ epoch: 1, derivationConfirmed: false });
    expect(await device.wallet.confirmDerivation()).toBe(true);
  });
});

test('signing asks no Deriver: it works while both are down', async () => {
  const device = new TestDevice(shared.stack);
  const { publicKey } = await device.wallet.register();
  const { 'deriver-a': a, 'deriver-b': b } = shared.stack.roles;
  await bothNotified();
  asked.length = 0;
  await Promise.all([a.down(), b.down()]);
  try {
    expect(await signs(device, publicKey)).toBe(true);
    expect(await signs(device, publicKey)).toBe(true);
    expect(await signs(clone(device, device.storage), publicKey)).toBe(true);
    expect(await outcomeOf(device.wallet.refresh())).toBe('peer_failed');
    expect(await signs(device, publicKey)).toBe(true);
  } finally {
    await Promise.all([a.up(), b.up()]);
  }
  expect(asked.filter((path) => !path.endsWith('/ceremony') && !path.endsWith('/cancel'))).toEqual([]);
});
