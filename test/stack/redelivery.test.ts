import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { acceptShare, type PendingCeremony, prepare } from '@streaming-yao/ceremony/client';
import { connectRouter, memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { LIMITS, toHex, YaoError } from '@streaming-yao/core';
import {
  CeremonyAnswer,
  CeremonyHandle,
  CeremonyRequest,
  ceremonyIdOf,
  FollowAnswer,
  FollowRequest,
  FollowStatement,
} from '@streaming-yao/wire';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../tools/processes.ts';
import { authorizedRequest, intentOf, type RegisteredKey, registerKey } from './ceremonies.ts';
import { outcomeOf, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { recordsOf } from './storage.ts';
import { Tap } from './tap.ts';

const taps: Tap[] = [];
/** Streams that A has opened to B: one per run of a circuit. */
let runs = 0;

const shared = sharedStack({
  settings: { retentionMs: 500, stagedLaneMs: 8_000 },
  between: async (_, callee, port) => {
    if (callee !== 'deriver-b') return port;
    const opened = (path: string, toCallee: boolean): boolean => toCallee && path.startsWith('/stream');
    const tap = await Tap.open(port, ({ path, bytes, direction }) => {
      if (opened(path, direction === 'to-callee') && bytes[0] === 'G'.charCodeAt(0)) runs++;
    });
    taps.push(tap);
    return tap.port;
  },
});
afterAll(() => {
  for (const tap of taps) tap.close();
});
beforeEach(() => {
  runs = 0;
});

async function pendingRefresh(key: RegisteredKey): Promise<PendingCeremony> {
  const { surroundings } = key.device;
  return key.device.run(prepare(surroundings, await intentOf(key.device, 'refresh', key.lane.publicKey), key.root));
}

const send = async (device: TestDevice, request: CeremonyRequest): Promise<CeremonyAnswer> =>
  CeremonyAnswer.fromJson(await device.router('/v1/ceremonies', CeremonyRequest.toJson(request)));

describe('the same request again is the same ceremony', () => {
  test('later, with the same packages, which open each time', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const pending = await pendingRefresh(key);
    runs = 0;
    const answers = [await send(key.device, pending.request), await send(key.device, pending.request)];
    expect(answers[1]).toEqual(answers[0]);
    for (const answer of answers) {
      const lane = await key.device.run(acceptShare(key.device.surroundings, pending, answer));
      expect([lane.epoch, lane.publicKey]).toEqual([2, key.lane.publicKey]);
    }
    expect(runs).toBe(1);
  });

  test('eight times at once', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const { request } = await pendingRefresh(key);
    runs = 0;
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(key.device, request)));
    expect(new Set(answers.map((answer) => JSON.stringify(CeremonyAnswer.toJson(answer)))).size).toBe(1);
    expect(runs).toBe(1);
  });

  test('to a restarted Router, which has forgotten nothing', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const { request } = await pendingRefresh(key);
    runs = 0;
    const before = await send(key.device, request);
    await shared.stack.restart('router');
    expect(await send(key.device, request)).toEqual(before);
    expect(runs).toBe(1);
  });

  test('a change of any byte is another one', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const [one, other] = [await authorizedRequest(key, 'export'), await authorizedRequest(key, 'export')];
    const ids = [one, other].map((request) =>
      toHex(ceremonyIdOf(request.core, { a: sha256(request.envelopeA), b: sha256(request.envelopeB) })),
    );
    expect(new Set(ids).size).toBe(2);
    runs = 0;
    const answers = [await send(key.device, one), await send(key.device, other)];
    expect(answers.map(({ ceremonyId }) => toHex(ceremonyId))).toEqual(ids);
    expect(runs).toBe(2);
  });
});

describe('an answer that was lost', () => {
  /** A connection that breaks after the Router has answered a ceremony. */
  const losing =
    (router: RouterConnection): RouterConnection =>
    async (path, body) => {
      const answer = await router(path, body);
      if (path === '/v1/ceremonies') throw new YaoError('peer_failed', 'the answer was lost', { party: 'router' });
      return answer;
    };

  test.each(['register', 'refresh', 'recover'] as const)('%s: a reloaded app fetches the same answer', async (operation) => {
    const storage = memoryStorage();
    const first = new TestDevice(shared.stack, { storage });
    const { walletId, credential } = first;
    if (operation !== 'register') await first.wallet.register();
    const unlucky = new TestDevice(shared.stack, { storage, walletId, credential, router: losing(first.router) });
    runs = 0;
    expect(await outcomeOf(unlucky.wallet[operation]())).toBe('peer_failed');
    expect(runs).toBe(1);

    const reloaded = new TestDevice(shared.stack, { storage, walletId, credential });
    expect(await reloaded.wallet.resume()).toBe(true);
    expect(runs).toBe(1);
    const publicKey = await reloaded.wallet.publicKey();
    const message = new TextEncoder().encode(operation);
    expect(ed25519.verify((await reloaded.wallet.sign(message)).signature, message, publicKey)).toBe(true);
    expect(await reloaded.wallet.resume()).toBe(false);
  });
});

describe('Prefer: respond-async', () => {
  async function post(request: CeremonyRequest, prefer = 'respond-async'): Promise<Response> {
    const headers = { 'content-type': 'application/json', prefer };
    const body = JSON.stringify(CeremonyRequest.toJson(request));
    return fetch(new URL('/v1/ceremonies', shared.stack.routerUrl), { method: 'POST', headers, body });
  }

  async function follow(pending: PendingCeremony, device: TestDevice, seed = pending.laneSeed): Promise<FollowAnswer> {
    const { ceremonyId, core } = pending;
    const statement = { deployment: core.deployment, walletId: core.walletId, ceremonyId, issuedAtMs: Date.now() };
    const signature = seed.use((bytes) => ed25519.sign(FollowStatement.encode(statement), bytes));
    return FollowAnswer.fromJson(await device.router('/v1/ceremonies/follow', FollowRequest.toJson({ statement, signature })));
  }

  const ended = (pending: PendingCeremony, device: TestDevice): Promise<FollowAnswer> =>
    until('end of the ceremony', async () => {
      const answer = await follow(pending, device);
      return answer.state === 'running' ? undefined : answer;
    });

  test('is answered with 202, a handle, and when to ask', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const pending = await pendingRefresh(key);
    runs = 0;
    const response = await post(pending.request);
    expect([response.status, response.headers.get('retry-after')]).toEqual([202, '1']);
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    const handle = CeremonyHandle.fromJson(await response.json());
    expect(handle).toEqual({ ceremonyId: pending.ceremonyId, follow: '/v1/ceremonies/follow' });
    const { state, answer, operation } = await ended(pending, key.device);
    expect([state, operation]).toEqual(['completed', 'refresh']);
    const lane = await key.device.run(acceptShare(key.device.surroundings, pending, answer as CeremonyAnswer));
    expect(lane.publicKey).toEqual(key.lane.publicKey);
    expect((await post(pending.request)).status).toBe(202);
    expect(await send(key.device, pending.request)).toEqual(answer);
    expect(runs).toBe(1);
  });

  test.each(['Respond-Async', 'wait=5, respond-async', 'respond-async; x=1'])('%s is that preference', async (prefer) => {
    const key = await registerKey(new TestDevice(shared.stack));
    const request = await authorizedRequest(key, 'export');
    expect((await post(request, prefer)).status).toBe(202);
  });

  test('another preference is none', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    expect((await post(await authorizedRequest(key, 'export'), 'return=minimal')).status).toBe(200);
  });

  test('only a holder of the ceremony’s keys may follow it; for everybody else there is none', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const other = await registerKey(new TestDevice(shared.stack));
    const pending = await pendingRefresh(key);
    await post(pending.request);
    expect(await outcomeOf(follow(pending, other.device, other.lane.laneSeed))).toBe('ceremony_unknown');
    expect(await outcomeOf(follow(pending, key.device, key.lane.laneSeed))).toBe('ceremony_unknown');
    expect((await ended(pending, key.device)).state).toBe('completed');
  });

  test('what may not be done is refused at once, and what a Deriver refuses is told to who asks', async () => {
    const key = await registerKey(new TestDevice(shared.stack));
    const pending = await pendingRefresh(key);
    const tampered = await post({ ...pending.request, envelopeA: new Uint8Array(80) });
    expect(tampered.status).toBe(403);
    const { surroundings } = key.device;
    const intent = await intentOf(key.device, 'refresh', key.lane.publicKey, { expectedEpoch: 7 });
    const early = await key.device.run(prepare(surroundings, intent, key.root));
    expect((await post(early.request)).status).toBe(202);
    expect(await ended(early, key.device)).toMatchObject({ state: 'failed', failure: 'epoch_mismatch', answer: null });
  });
});

test('alarms delete what a ceremony leaves, soon after no request for it is accepted any more', async () => {
  const soon = new TestDevice(shared.stack, { now: () => Date.now() - LIMITS.requestLifeMs + 2_500 });
  const key = await registerKey(soon);
  const pending = await pendingRefresh(key);
  await send(key.device, pending.request);
  const ids = [key.lane.ceremonyId, pending.ceremonyId].map(toHex);
  const left = async (): Promise<readonly string[]> => {
    const roles = ['router', 'deriver-a', 'deriver-b', 'signing-worker'] as const;
    const found = await Promise.all(
      roles.map(async (role) => (await recordsOf(shared.stack, role)).map((r) => ({ role, ...r }))),
    );
    return found
      .flat()
      .filter(({ table, key: name, value }) => {
        const waiting =
          table === 'staged' &&
          Buffer.from(value)
            .toString('hex')
            .includes(ids[1] as string);
        return waiting || ids.some((id) => name.includes(id) && table !== 'share');
      })
      .map(({ role, table, key: name }) => `${role} ${table} ${name}`);
  };
  expect((await left()).length).toBeGreaterThanOrEqual(9);
  await until('deletion', async () => ((await left()).length === 0 ? true : undefined));
  expect(await outcomeOf(send(key.device, pending.request))).toBe('request_expired');
});

test.each([
  ['breaks off', (text: string) => text.slice(0, 500), 'peer_failed'],
  ['is of another form', () => '{}', 'invalid_request'],
])('a registration whose answer %s is concluded by what comes next', async (_, damaged, code) => {
  let damages = 1;
  const fetcher: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith('/v1/ceremonies') || damages-- <= 0) return response;
    return new Response(damaged(await response.text()), response);
  };
  const device = new TestDevice(shared.stack, { router: connectRouter(shared.stack.routerUrl, fetcher) });
  expect(await outcomeOf(device.wallet.register())).toBe(code);
  expect(await device.wallet.resume()).toBe(true);
  const message = new Uint8Array(5);
  const { signature } = await device.wallet.sign(message);
  expect(ed25519.verify(signature, message, await device.wallet.publicKey())).toBe(true);
});
