import { ed25519 } from '@noble/curves/ed25519.js';
import { memoryStorage } from '@streaming-yao/client';
import { laneName } from '@streaming-yao/client/lane-record';
import { toHex } from '@streaming-yao/core';
import { type CeremonyAnswer, Receipt } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import { outcomeOf, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

/** So few tickets that pairings are used up while ceremonies run. */
const shared = sharedStack({ settings: { pairingTickets: 4 } });

const message = (i: number): Uint8Array => new TextEncoder().encode(`message ${i}`);
const ticketOf = (answer: CeremonyAnswer) => Receipt.decode(answer.receipt.payload).ticket;

test('of two refreshes of one lane at once one wins, and the other changes nothing', async () => {
  const device = new TestDevice(shared.stack);
  const { publicKey } = await device.wallet.register();
  const { walletId, credential, storage } = device;
  const twin = new TestDevice(shared.stack, { walletId, credential });
  using record = await storage.get(laneName(walletId, 0));
  await twin.storage.set(laneName(walletId, 0), record);

  const outcomes = await Promise.all([outcomeOf(device.wallet.refresh()), outcomeOf(twin.wallet.refresh())]);
  expect(outcomes).toContain('done');
  expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([expect.stringMatching(/^epoch_(conflict|mismatch)$/)]);
  const [winner, loser] = outcomes[0] === 'done' ? [device, twin] : [twin, device];
  const { signature } = await winner.wallet.sign(message(0));
  expect(ed25519.verify(signature, message(0), publicKey)).toBe(true);
  expect(await winner.wallet.status()).toMatchObject({ lane: 1, epoch: 2 });
  expect(await outcomeOf(loser.wallet.sign(message(1)))).toBe('epoch_retired');
});

test('who signs while the key is still being made is told so, or waits; then the key signs', async () => {
  const device = new TestDevice(shared.stack);
  expect(await outcomeOf(device.wallet.sign(message(0)))).toBe('not_ready');
  const [{ publicKey }, early] = await Promise.all([device.wallet.register(), outcomeOf(device.wallet.sign(message(0)))]);
  expect(['not_ready', 'done']).toContain(early);
  const { signature } = await device.wallet.sign(message(1));
  expect(ed25519.verify(signature, message(1), publicKey)).toBe(true);
});

test('two refreshes by one wallet come one after the other', async () => {
  const device = new TestDevice(shared.stack);
  await device.wallet.register();
  await Promise.all([device.wallet.refresh(), device.wallet.refresh()]);
  expect(await device.wallet.status()).toMatchObject({ epoch: 3 });
});

test('refreshes during signing break no signature', async () => {
  const device = new TestDevice(shared.stack);
  const { publicKey } = await device.wallet.register();
  let refreshing = true;
  let signatures = 0;
  const signer = async (lane: number): Promise<void> => {
    for (let i = 0; refreshing; i++) {
      const text = message(1000 * lane + i);
      const { signature } = await device.wallet.sign(text);
      expect(ed25519.verify(signature, text, publicKey)).toBe(true);
      signatures++;
    }
  };
  const signers = [signer(1), signer(2), signer(3)];
  for (let i = 0; i < 5; i++) await device.wallet.refresh();
  refreshing = false;
  await Promise.all(signers);
  expect(await device.wallet.status()).toMatchObject({ epoch: 6 });
  expect(signatures).toBeGreaterThanOrEqual(5);
});

test('a second tab on the same storage signs on after the first one has refreshed', async () => {
  const storage = memoryStorage();
  const first = new TestDevice(shared.stack, { storage });
  const { publicKey } = await first.wallet.register();
  const { walletId, credential } = first;
  const second = new TestDevice(shared.stack, { storage, walletId, credential });
  await second.wallet.sign(message(0));
  await first.wallet.refresh();
  const { signature } = await second.wallet.sign(message(1));
  expect(ed25519.verify(signature, message(1), publicKey)).toBe(true);
});

test('twenty registrations at once all succeed, on pairings that give out, no ticket twice', async () => {
  const devices = Array.from({ length: 20 }, () => new TestDevice(shared.stack));
  const registered = await Promise.all(devices.map(({ wallet }) => wallet.register()));
  expect(new Set(registered.map(({ publicKey }) => toHex(publicKey))).size).toBe(20);
  const tickets = registered.map(({ answer }) => ticketOf(answer));
  expect(new Set(tickets.map(({ pairing, counter }) => `${toHex(pairing)} ${counter}`)).size).toBe(20);
  expect(Math.max(...tickets.map(({ counter }) => counter))).toBeLessThan(4);
  for (const [i, { wallet }] of devices.entries()) {
    const { signature } = await wallet.sign(message(i));
    expect(ed25519.verify(signature, message(i), registered[i]?.publicKey as Uint8Array)).toBe(true);
  }
});
