import { sha256 } from '@noble/hashes/sha2.js';
import { createRecoveryPhrase, memoryStorage, recoveryCredential } from '@streaming-yao/client';
import { toHex } from '@streaming-yao/core';
import {
  type CeremonyAnswer,
  CeremonyRequest,
  ceremonyIdOf,
  DeploymentFacts,
  type DeriverRole,
  PROFILES,
  Receipt,
} from '@streaming-yao/wire';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { authorizedRequest, registerKey } from './ceremonies.ts';
import { group, MESSAGE, outcomeOf, random, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { StolenRouter } from './stolen-router.ts';
import { Tap } from './tap.ts';

const DERIVERS = ['deriver-a', 'deriver-b'] as const satisfies readonly DeriverRole[];

describe.each(PROFILES)('%s', (profile) => {
  const taps: Tap[] = [];
  /** What happens when the first tables go from A to B. */
  let atFirstTables: (() => void) | undefined;
  const shared = sharedStack({
    profile,
    settings: { pairingTickets: 4, ceremonyDeadlineMs: 5_000 },
    between: async (caller, _, port) => {
      if (caller !== 'deriver-a') return port;
      const tap = await Tap.open(port, ({ direction, bytes }) => {
        // Version 1, kind `tables`.
        if (direction !== 'to-callee' || bytes[0] !== 1 || bytes[1] !== 1) return;
        atFirstTables?.();
        atFirstTables = undefined;
      });
      taps.push(tap);
      return tap.port;
    },
  });
  afterAll(() => {
    for (const tap of taps) tap.close();
  });
  beforeEach(() => {
    atFirstTables = undefined;
  });

  test('a wallet’s whole life, on one key', async () => {
    const phrase = createRecoveryPhrase(random);
    const first = new TestDevice(shared.stack);
    const { walletId } = first;
    const { publicKey } = await first.wallet.register({ recovery: [recoveryCredential(group, phrase)] });
    expect(await signs(first, publicKey)).toBe(true);
    expect((await first.wallet.refresh()).publicKey).toEqual(publicKey);
    expect(await signs(first, publicKey)).toBe(true);

    const second = new TestDevice(shared.stack, { walletId, storage: memoryStorage() });
    const { keys, offer } = second.wallet.offerLink();
    expect(await second.wallet.acceptLink(await first.wallet.approveLink(offer), keys)).toEqual(publicKey);
    expect(await signs(second, publicKey)).toBe(true);

    const third = new TestDevice(shared.stack, { walletId, credential: recoveryCredential(group, phrase) });
    expect((await third.wallet.recover()).publicKey).toEqual(publicKey);
    expect(await outcomeOf(first.wallet.sign(MESSAGE))).toBe('epoch_retired');
    const { key } = await third.wallet.exportKey({ format: 'seed-hex' });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is what deployment, grant and receipt name, and nothing that a request can choose', async () => {
    const facts = await fetch(new URL('/.well-known/streaming-yao', shared.stack.routerUrl));
    expect(DeploymentFacts.fromJson(await facts.json()).profile).toBe(profile);
    const key = await registerKey(new TestDevice(shared.stack));
    expect(Receipt.decode(key.answer.receipt.payload).core.profile).toBe(profile);

    const other = PROFILES.find((name) => name !== profile) ?? profile;
    const request = await authorizedRequest(key, 'export');
    const asked = CeremonyRequest.toJson({ ...request, core: { ...request.core, profile: other } });
    expect(await outcomeOf(key.device.router('/v1/ceremonies', asked))).toBe('request_mismatch');
    const router = await StolenRouter.of(shared.stack);
    const id = ceremonyIdOf(request.core, { a: sha256(request.envelopeA), b: sha256(request.envelopeB) });
    const grant = router.grant(request.core, id, { profile: other });
    for (const role of DERIVERS) expect(await outcomeOf(router.relay(role, { request, grant }))).toBe('grant_invalid');
  });

  test.each(DERIVERS)('%s dies in a ceremony, which is burned; the next one succeeds', async (role) => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    let restarted: Promise<unknown> | undefined;
    atFirstTables = () => {
      restarted = shared.stack.restart(role);
    };
    expect(await outcomeOf(device.wallet.refresh())).toMatch(/^(peer_failed|ceremony_burned|busy)$/);
    await restarted;
    expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
    expect(await signs(device, publicKey)).toBe(true);
  });

  test('pairings give out and are replaced, and no ticket comes twice', async () => {
    const { wallet } = new TestDevice(shared.stack);
    const answers: CeremonyAnswer[] = [(await wallet.register()).answer];
    for (let i = 0; i < 5; i++) answers.push((await wallet.refresh()).answer);
    const tickets = answers.map(({ receipt }) => Receipt.decode(receipt.payload).ticket);
    expect(new Set(tickets.map(({ pairing }) => toHex(pairing))).size).toBeGreaterThan(1);
    expect(new Set(tickets.map(({ pairing, counter }) => `${toHex(pairing)} ${counter}`)).size).toBe(answers.length);
  });
});
