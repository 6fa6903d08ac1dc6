import { ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, toHex, utf8 } from '@streaming-yao/core';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, test, vi } from 'vitest';
import { group, random, SigningRouter } from './signing-router.ts';

const message = utf8('pay 3 to Bo');

function expectAllDifferent(ids: readonly string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
}

/** No presign was spent twice, and no client nonce used for two requests. */
function expectUsedOnce({ sent }: SigningRouter): void {
  expectAllDifferent(sent.presigns);
  expectAllDifferent(sent.commitments);
}

describe('the stock', () => {
  test('is not needed for the first signature, which it is filled behind; the next one is a hit', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    const first = await wallet.sign(message);
    expect(first).toMatchObject({ poolHit: false, requests: 1, presignsLeft: 0 });
    await vi.waitFor(() => expect(router.refills).toEqual(['started', 'succeeded']));
    expect([router.shares.length, router.counts, router.signs.length]).toEqual([1, [LIMITS.presignsPerPrepare], 0]);
    const second = await wallet.sign(message);
    expect(second).toMatchObject({ poolHit: true, requests: 1 });
    expect([router.shares.length, router.signs.length]).toEqual([1, 1]);
    for (const { signature } of [first, second]) expect(ed25519.verify(signature, message, router.publicKey)).toBe(true);
    expectUsedOnce(router);
  });

  test('is filled when the wallet is opened, where the app wants it', async () => {
    const router = new SigningRouter();
    const wallet = await router.open({ prefetch: true });
    await vi.waitFor(() => expect(router.refills).toEqual(['started', 'succeeded']));
    expect((await wallet.sign(message)).poolHit).toBe(true);
    expect(router.prepares).toBe(1);
  });

  test('is left alone otherwise', async () => {
    const router = new SigningRouter();
    await (await router.open()).publicKey();
    expect(router.prepares).toBe(0);
  });

  test('is filled up by the answers, a block at a time, and no signature waits for it', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    for (let i = 0; i < 60; i++) {
      expect((await wallet.sign(Uint8Array.of(i))).poolHit).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(router.prepares).toBe(1);
    expect(router.signs.filter(({ wanted }) => wanted > 0).length).toBeLessThanOrEqual(6);
    expectUsedOnce(router);
  });

  test('is filled by one refill at a time, and a crowd that finds none waits for nobody', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    const messages = Array.from({ length: 100 }, (_, i) => Uint8Array.of(i));
    const signed = await Promise.all(messages.map((each) => wallet.sign(each)));
    for (const [i, { signature, requests }] of signed.entries()) {
      expect(ed25519.verify(signature, messages[i] as Uint8Array, router.publicKey)).toBe(true);
      expect(requests).toBe(1);
    }
    await vi.waitFor(() => expect(router.refills.at(-1)).toBe('succeeded'));
    expect([router.mostRefilling, router.prepares]).toEqual([1, 1]);
    expectUsedOnce(router);
    expectAllDifferent(signed.map(({ signature }) => toHex(signature.subarray(0, 32))));
  });

  test('that the SigningWorker has forgotten is a miss: signed under fresh nonces, and nobody hears of it', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    await wallet.sign(message);
    router.forget();
    const signed = await wallet.sign(message);
    expect(signed).toMatchObject({ poolHit: false, requests: 2, presignsLeft: 0 });
    expect(ed25519.verify(signed.signature, message, router.publicKey)).toBe(true);
    await vi.waitFor(() => expect(router.refills.at(-1)).toBe('succeeded'));
    expect(router.counts).toEqual([LIMITS.presignsPerPrepare, LIMITS.presignsPerPrepare]);
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1 });
    expectUsedOnce(router);
  });

  test('that was forgotten is forgotten once by a crowd that signs at once', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    router.forget();
    const messages = Array.from({ length: 12 }, (_, i) => Uint8Array.of(i));
    const signed = await Promise.all(messages.map((each) => wallet.sign(each)));
    for (const [i, { signature, requests }] of signed.entries()) {
      expect(ed25519.verify(signature, messages[i] as Uint8Array, router.publicKey)).toBe(true);
      expect(requests).toBe(2);
    }
    expect(router.mostRefilling).toBe(1);
    expectUsedOnce(router);
  });

  test('that may have been forgotten meanwhile is not relied on: one request finds out and signs', async () => {
    const router = new SigningRouter();
    let nowMs = Date.now();
    const wallet = await router.open({ now: () => nowMs });
    await wallet.prefetch();
    nowMs += 9_000;
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1, presignsLeft: LIMITS.presignsPerPrepare - 1 });
    nowMs += 10_000;
    const presignsLeft = LIMITS.presignsPerPrepare - 1;
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 1, presignsLeft });
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1 });
    expect(router.refills).toEqual(['started', 'succeeded']);
    nowMs += 10_000;
    router.forget();
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 1, presignsLeft: 0 });
    await vi.waitFor(() => expect(router.refills).toEqual(['started', 'succeeded', 'started', 'succeeded']));
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1 });
    expectUsedOnce(router);
  });

  test('that was under way when it was forgotten costs one request more', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    router.preparedTravelsMs = 20;
    await wallet.sign(message);
    while (router.prepares === 0 || router.refilling > 0) await new Promise(setImmediate);
    expect(router.refills).toEqual(['started']);
    router.forget();
    await vi.waitFor(() => expect(router.refills.at(-1)).toBe('succeeded'));
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 2 });
    expectUsedOnce(router);
  });

  test('is each tab’s own: two never use one presign, nor one client nonce', async () => {
    const router = new SigningRouter();
    const tabs = [await router.open({ prefetch: true }), await router.open({ prefetch: true })];
    await Promise.all(Array.from({ length: 40 }, (_, i) => tabs[i % 2]?.sign(message)));
    expectUsedOnce(router);
  });

  test('that nobody can fill is an event, and stops no signature', async () => {
    const router = new SigningRouter();
    router.presigns = () => [];
    const wallet = await router.open();
    for (let i = 0; i < 3; i++) {
      expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 1 });
      await vi.waitFor(() => expect(router.refills.at(-1)).toBe('failed not_ready'));
    }
    await expect(wallet.prefetch()).rejects.toMatchObject({ code: 'not_ready', party: 'signing-worker' });
    expect(router.signs).toEqual([]);
    expectUsedOnce(router);
  });
});

describe('what was changed on the way', () => {
  const swap = ([first, ...rest]: readonly Presign[]): readonly Presign[] =>
    first ? [{ ...first, hiding: group.baseMultiply(group.randomScalar(random)) }, ...rest] : [];

  test('a commitment that was fetched: nothing is signed under it', async () => {
    const router = new SigningRouter();
    router.presigns = swap;
    const wallet = await router.open();
    await expect(wallet.prefetch()).rejects.toMatchObject({ code: 'commitment_mismatch', party: 'signing-worker' });
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false });
    expect(router.signs).toEqual([]);
  });

  const otherPoint = () => group.baseMultiply(group.randomScalar(random));
  test.each([
    ['its hiding commitment', () => ({ hiding: otherPoint() }), 'invalid_signature_share'],
    ['its binding commitment', () => ({ binding: otherPoint() }), 'invalid_signature_share'],
    ['its share', () => ({ signatureShare: new Uint8Array(32) }), 'invalid_signature_share'],
    ['a commitment that is no point', () => ({ hiding: Uint8Array.of(2, ...new Uint8Array(31)) }), 'invalid_point'],
    ['a share that is no scalar', () => ({ signatureShare: new Uint8Array(32).fill(0xff) }), 'invalid_scalar'],
  ])('the SigningWorker’s answer to a miss, %s: the client names it, and gives nothing out', async (_, changed, code) => {
    const router = new SigningRouter();
    router.given = (answer) => ({ ...answer, ...changed() });
    const wallet = await router.open();
    await expect(wallet.sign(message)).rejects.toMatchObject({ code, party: 'signing-worker' });
    router.given = (answer) => answer;
    await wallet.sign(message);
    expectUsedOnce(router);
  });

  test('a commitment that came with an answer: the signature is good, the commitment is refused', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    const swapped: string[] = [];
    router.presigns = (presigns) => {
      if (presigns.length > 0) swapped.push(...presigns.map(({ presignId }) => toHex(presignId)));
      return swap(presigns);
    };
    for (let i = 0; i < LIMITS.presignsPerPrepare - 4; i++) await wallet.sign(message);
    await vi.waitFor(() => expect(router.refills).toContain('failed commitment_mismatch'));
    router.presigns = (presigns) => presigns;
    for (let i = 0; i < 8; i++) await wallet.sign(message);
    expect(router.sent.presigns.filter((id) => swapped.includes(id))).toEqual([]);
  });

  test.each([0, 31, 32, 63])(
    'a bit of the signature, in byte %i: the client names the SigningWorker and gives nothing out',
    async (at) => {
      const router = new SigningRouter();
      router.signature = (signature) => signature.map((byte, i) => (i === at ? byte ^ 1 : byte));
      const wallet = await router.open();
      await wallet.prefetch();
      await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'signing-worker' });
      router.signature = (signature) => signature;
      await wallet.sign(message);
      expectUsedOnce(router);
    },
  );

  test.each(['hiding', 'binding', 'signatureShare', 'message'] as const)(
    'the request’s %s: the presign is spent on nothing',
    async (field) => {
      const router = new SigningRouter();
      const others = {
        hiding: group.baseMultiply(group.randomScalar(random)),
        signatureShare: new Uint8Array(32),
        message: utf8('pay 300'),
      };
      router.request = (request) => ({ ...request, [field]: { ...others, binding: others.hiding }[field] });
      const wallet = await router.open();
      await wallet.prefetch();
      await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'client' });
      router.request = (request) => ({ ...request, presignId: router.signs[0]?.presignId ?? request.presignId });
      expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 2 });
      expectUsedOnce(router);
    },
  );
});
