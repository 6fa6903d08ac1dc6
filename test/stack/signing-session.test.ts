import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { blockhash } from '@solana/kit';
import type { SigningSession } from '@streaming-yao/client';
import { toHex, utf8 } from '@streaming-yao/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { delegateTransfer } from '../../examples/near-delegate-action.ts';
import { memoTransaction } from '../../examples/solana-transaction.ts';
import { outcomeOf, random, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { filesOf } from './storage.ts';

const shared = sharedStack({ policy: { kinds: ['solana-transaction', 'near-delegate', 'text'], sessions: 'required' } });
let device: TestDevice;
let publicKey: Uint8Array;
beforeAll(async () => {
  device = new TestDevice(shared.stack);
  ({ publicKey } = await device.wallet.register());
});

const text = utf8('pay 3 to Bo');
const leftOf = async ({ sessionId }: SigningSession): Promise<number | undefined> =>
  (await device.wallet.sessions()).find((each) => toHex(each.sessionId) === toHex(sessionId))?.usesLeft;

describe('a deployment that requires sessions', () => {
  test('signs nothing before the user has approved of it, and then as often as that', async () => {
    const { wallet } = device;
    expect(await outcomeOf(wallet.sign(text))).toBe('session_required');
    const session = await wallet.openSession({ uses: 2, minutes: 5 });
    for (const usesLeft of [1, 0]) {
      const signed = await wallet.sign(text);
      expect(signed.usesLeft).toBe(usesLeft);
      expect(ed25519.verify(signed.signature, text, publicKey)).toBe(true);
    }
    expect(await outcomeOf(wallet.sign(text))).toBe('budget_exhausted');
    expect(await leftOf(session)).toBe(0);
  });

  test('signs what it takes, and sees by itself what that is', async () => {
    const { wallet } = device;
    await wallet.openSession({ uses: 4, minutes: 5 });
    const lifetime = { blockhash: blockhash('4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn'), lastValidBlockHeight: 1n };
    expect(Object.values((await memoTransaction(wallet, 'hello', lifetime)).signatures)).toHaveLength(1);
    const { delegateHash } = await delegateTransfer(wallet, 'bo.near', 7n, { nonce: 3n, maxBlockHeight: 1_000n });
    for (const refused of [delegateHash, Uint8Array.of(0), random(40)])
      expect(await outcomeOf(wallet.sign(refused))).toBe('kind_refused');
    expect((await wallet.sign(text)).usesLeft).toBe(1);
  });

  test('signs in a session what that session takes', async () => {
    const { wallet } = device;
    const { sessionId } = await wallet.openSession({ uses: 4, minutes: 5, kinds: ['near-delegate'] });
    expect(await outcomeOf(wallet.sign(text))).toBe('kind_refused');
    await delegateTransfer(wallet, 'bo.near', 7n, { nonce: 4n, maxBlockHeight: 1_000n });
    await wallet.closeSession(sessionId);
    expect(await outcomeOf(wallet.sign(text, { session: sessionId }))).toBe('session_unknown');
    expect(await outcomeOf(wallet.sign(text))).toBe('session_required');
  });

  test('counts no ceremony as a signature, and a refresh ends what was open', async () => {
    const { wallet } = device;
    const session = await wallet.openSession({ uses: 5, minutes: 5 });
    await wallet.exportKey({ format: 'seed-hex' });
    expect(await leftOf(session)).toBe(5);
    await wallet.refresh();
    expect(await outcomeOf(wallet.sign(text))).toBe('session_unknown');
    expect(await wallet.sessions()).toEqual([]);
    await wallet.openSession({ uses: 5, minutes: 5 });
    expect((await wallet.sign(text)).usesLeft).toBe(4);
  });
});

test('its owner sees in the trail what was signed and approved of', async () => {
  const owner = new TestDevice(shared.stack);
  await owner.wallet.register();
  const { sessionId } = await owner.wallet.openSession({ uses: 5, minutes: 5 });
  for (let i = 0; i < 3; i++) await owner.wallet.sign(text);
  expect(await outcomeOf(owner.wallet.sign(random(40)))).toBe('kind_refused');
  await owner.wallet.closeSession(sessionId);
  const seen = async () => (await owner.wallet.audit()).map(({ event }) => event).sort();
  await expect.poll(seen, { interval: 200 }).toEqual(['register', 'session-close', 'session-open', 'sign', 'sign', 'sign']);
});

test('a SigningWorker that is killed again and again gives no more signatures than were approved of', async () => {
  const { wallet } = device;
  const session = await wallet.openSession({ uses: 32, minutes: 5 });
  let signed = 0;
  for (let round = 0; round < 4; round++) {
    const crowd = Array.from({ length: 12 }, (_, i) => outcomeOf(wallet.sign(utf8(`message ${round} ${i}`))));
    if (round > 0) await shared.stack.restart('signing-worker');
    const outcomes = await Promise.all(crowd);
    signed += outcomes.filter((outcome) => outcome === 'done').length;
  }
  const left = (await leftOf(session)) ?? 0;
  expect(signed + left).toBeLessThanOrEqual(32);
  for (let i = 0; i < left; i++) await wallet.sign(text);
  expect(await outcomeOf(wallet.sign(text))).toBe('budget_exhausted');
});

/** The SigningWorker's databases and write-ahead logs. */
async function written(): Promise<readonly string[]> {
  const files = await filesOf(shared.stack, 'signing-worker');
  const records = files.filter(({ name }) => /\.sqlite(-wal)?$/.test(name));
  return records.map(({ name, bytes }) => `${name} ${createHash('sha256').update(bytes).digest('hex')}`);
}

test('eight hits change no byte on the SigningWorker’s disk', async () => {
  const { wallet } = device;
  // Sixteen of so many uses are on hand at once; more are written off when less than half of them are left.
  await wallet.openSession({ uses: 320, minutes: 5 });
  await wallet.prefetch();
  const before = await written();
  for (let i = 0; i < 8; i++) expect(await wallet.sign(text)).toMatchObject({ poolHit: true, requests: 1 });
  expect(await written()).toEqual(before);
  await wallet.sign(text);
  await expect.poll(written).not.toEqual(before);
});
