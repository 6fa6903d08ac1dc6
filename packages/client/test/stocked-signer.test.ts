import { ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, toHex, utf8 } from '@streaming-yao/core';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, test, vi } from 'vitest';
import { group, random, SigningRouter } from './signing-router.ts';

const message = utf8('pay 3 to Bo');

const spentIn = (router: SigningRouter): readonly string[] => router.signs.map(({ presignId }) => toHex(presignId));

function expectAllDifferent(ids: readonly string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
}

describe('the stock', () => {
  test('is filled by the first signature, which takes two requests; the next one takes one', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    const first = await wallet.sign(message);
    expect([first.poolHit, router.counts[0], router.signs.length]).toEqual([false, 2, 1]);
    const second = await wallet.sign(message);
    expect([second.poolHit, router.signs.length]).toEqual([true, 2]);
    for (const { signature } of [first, second]) expect(ed25519.verify(signature, message, router.publicKey)).toBe(true);
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
    expectAllDifferent(spentIn(router));
    expectAllDifferent(router.signs.flatMap(({ hiding, binding }) => [toHex(hiding), toHex(binding)]));
  });

  test('is filled by one refill at a time, which all who need it await', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    const messages = Array.from({ length: 100 }, (_, i) => Uint8Array.of(i));
    const signed = await Promise.all(messages.map((each) => wallet.sign(each)));
    for (const [i, { signature }] of signed.entries()) {
      expect(group.verifyEd25519(router.publicKey, messages[i] as Uint8Array, signature)).toBe(true);
    }
    expect(router.mostRefilling).toBe(1);
    expectAllDifferent(spentIn(router));
    expectAllDifferent(signed.map(({ signature }) => toHex(signature.subarray(0, 32))));
  });

  test('that the SigningWorker has forgotten is a miss: signed under fresh nonces, and nobody hears of it', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    await wallet.sign(message);
    router.forget();
    const signed = await wallet.sign(message);
    expect(signed).toMatchObject({ poolHit: false, requests: 3 });
    expect(ed25519.verify(signed.signature, message, router.publicKey)).toBe(true);
    expect(router.counts.slice(0, 2)).toEqual([LIMITS.presignsPerPrepare, 2]);
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1 });
    expectAllDifferent(spentIn(router));
    expectAllDifferent(router.signs.flatMap(({ hiding, binding }) => [toHex(hiding), toHex(binding)]));
  });

  test('that was forgotten is forgotten once by a crowd that signs at once', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    await wallet.prefetch();
    router.forget();
    const messages = Array.from({ length: 12 }, (_, i) => Uint8Array.of(i));
    const signed = await Promise.all(messages.map((each) => wallet.sign(each)));
    for (const [i, { signature }] of signed.entries()) {
      expect(ed25519.verify(signature, messages[i] as Uint8Array, router.publicKey)).toBe(true);
    }
    expect(router.mostRefilling).toBe(1);
    expectAllDifferent(spentIn(router));
  });

  test('that may have been forgotten meanwhile is asked for beside: finding out takes no request more', async () => {
    const router = new SigningRouter();
    let nowMs = Date.now();
    const wallet = await router.open({ now: () => nowMs });
    await wallet.prefetch();
    expect(await wallet.sign(message)).toMatchObject({ requests: 1 });
    nowMs += 11_000;
    expect(await wallet.sign(message)).toMatchObject({ poolHit: true, requests: 1 });
    await vi.waitFor(() => expect(router.refills).toEqual(['started', 'succeeded', 'started', 'succeeded']));
    nowMs += 11_000;
    router.forget();
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 2 });
    expect(router.counts.slice(0, 3)).toEqual([LIMITS.presignsPerPrepare, 1, 1]);
    expectAllDifferent(spentIn(router));
  });

  test('that was under way when it was forgotten is a miss, too', async () => {
    const router = new SigningRouter();
    let nowMs = Date.now();
    const wallet = await router.open({ now: () => nowMs });
    await wallet.prefetch();
    nowMs += 11_000;
    router.preparedTravelsMs = 20;
    await wallet.sign(message);
    expect(router.refills.at(-1)).toBe('started');
    router.forget();
    expect(await wallet.sign(message)).toMatchObject({ poolHit: false, requests: 4 });
    expectAllDifferent(spentIn(router));
  });

  test('is asked for what waits and one more, and for the rest when nobody waits', async () => {
    const router = new SigningRouter();
    const wallet = await router.open();
    expect(await wallet.sign(message)).toMatchObject({ requests: 2 });
    expect(await wallet.sign(message)).toMatchObject({ requests: 1 });
    await vi.waitFor(() => expect(router.counts).toEqual([2, LIMITS.presignsPerPrepare - 1]));
  });

  test('is each tab’s own: two never use one presign, nor one client nonce', async () => {
    const router = new SigningRouter();
    const tabs = [await router.open({ prefetch: true }), await router.open({ prefetch: true })];
    await Promise.all(Array.from({ length: 40 }, (_, i) => tabs[i % 2]?.sign(message)));
    expectAllDifferent(spentIn(router));
    expectAllDifferent(router.signs.flatMap(({ hiding, binding }) => [toHex(hiding), toHex(binding)]));
  });

  test('that nobody can fill ends a signature, not the app', async () => {
    const router = new SigningRouter();
    router.presigns = () => [];
    const wallet = await router.open();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => wallet.sign(message)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'not_ready', party: 'signing-worker' } });
    }
    expect(router.prepares).toBeLessThanOrEqual(5);
    expect(router.signs).toEqual([]);
  });
});

describe('what was changed on the way', () => {
  const swap = ([first, ...rest]: readonly Presign[]): readonly Presign[] =>
    first ? [{ ...first, hiding: group.baseMultiply(group.randomScalar(random)) }, ...rest] : [];

  test('a commitment that was fetched: nothing is signed', async () => {
    const router = new SigningRouter();
    router.presigns = swap;
    const wallet = await router.open();
    await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'commitment_mismatch', party: 'signing-worker' });
    expect(router.signs).toEqual([]);
    router.presigns = (presigns) => presigns;
    await wallet.sign(message);
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
    expect(spentIn(router).filter((id) => swapped.includes(id))).toEqual([]);
  });

  test.each([0, 31, 32, 63])(
    'a bit of the signature, in byte %i: the client names the SigningWorker and gives nothing out',
    async (at) => {
      const router = new SigningRouter();
      router.signature = (signature) => signature.map((byte, i) => (i === at ? byte ^ 1 : byte));
      const wallet = await router.open();
      await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'signing-worker' });
      router.signature = (signature) => signature;
      await wallet.sign(message);
      expectAllDifferent(spentIn(router));
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
      await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'client' });
      router.request = (request) => ({ ...request, presignId: router.signs[0]?.presignId ?? request.presignId });
      await expect(wallet.sign(message)).rejects.toMatchObject({ code: 'presign_spent' });
    },
  );
});
