import { ed25519 } from '@noble/curves/ed25519.js';
import { SecretBytes, utf8 } from '@streaming-yao/core';
import { afterEach, expect, test, vi } from 'vitest';
import { LaneAccess } from '../src/lane-access.ts';
import { group, random, SigningRouter } from './signing-router.ts';

const message = utf8('pay 3 to Bo');

afterEach(() => vi.restoreAllMocks());

test('a lane that is forgotten is used to the end by those who use it, and wiped then, with the nonces drawn ahead', async () => {
  const drawn: SecretBytes[] = [];
  const commitTwo = group.commitTwo.bind(group);
  vi.spyOn(group, 'commitTwo').mockImplementation((hiding, binding) => {
    drawn.push(hiding, binding);
    return commitTwo(hiding, binding);
  });
  const router = new SigningRouter();
  const access = new LaneAccess(await router.device(), 0);
  const { share, laneSeed } = await access.use(async ({ lane }) => lane);
  await access.use((signer) => signer.sign(message));
  const [first, second] = [message, utf8('pay 4')].map((each) => access.use((signer) => signer.sign(each)));
  while (router.shares.length + router.signs.length < 3) await new Promise(setImmediate);
  access.forget();
  expect(share.wiped).toBe(false);
  for (const [signing, signed] of [[first, message] as const, [second, utf8('pay 4')] as const]) {
    expect(ed25519.verify((await signing)?.signature as Uint8Array, signed, router.publicKey)).toBe(true);
  }
  await vi.waitFor(() => expect([share.wiped, laneSeed.wiped]).toEqual([true, true]));
  // What is left are the SigningWorker's presigns, whose pool is in this process.
  await vi.waitFor(() => expect(drawn.filter(({ wiped }) => !wiped)).toHaveLength(2 * router.unspent));
  expect(drawn.length).toBeGreaterThan(2 * router.unspent);
  const { signature } = await access.use((signer) => signer.sign(message));
  expect(ed25519.verify(signature, message, router.publicKey)).toBe(true);
});

test('what a wallet looks up of its lane, or signs with its lane key, leaves no secret in memory', async () => {
  const wallet = await new SigningRouter().open();
  const own = vi.spyOn(SecretBytes, 'own');
  await wallet.publicKey();
  await wallet.status();
  await expect(wallet.sessions()).rejects.toMatchObject({ code: 'unknown_route' });
  await expect(wallet.lanes()).rejects.toMatchObject({ code: 'unknown_route' });
  await expect(wallet.ceremony(random(32))).rejects.toMatchObject({ code: 'ceremony_unknown' });
  const made = own.mock.results.map(({ value }) => value as SecretBytes);
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter(({ wiped }) => !wiped)).toEqual([]);
});
