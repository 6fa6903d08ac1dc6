import { ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, STANDARD_SETTINGS, toBase64Url } from '@streaming-yao/core';
import {
  AuthorityRequest,
  Authority as AuthorityStatement,
  RevokeRequest,
  RevokeStatement,
  SigningSessionsRequest,
  SigningSessionsStatement,
} from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { laneOfUser, newCredential } from './lane-of-user.ts';
import { group, lane, NOW_MS, random } from './signing-worker-alone.ts';

describe('a signing session', () => {
  test('gives as many signatures as were approved of, and says how many are left', async () => {
    const { open, use, list, worker } = laneOfUser();
    const session = await open({ uses: 3 });
    expect([session.uses, session.usesLeft]).toEqual([3, 3]);
    for (const left of [2, 1, 0, 'budget_exhausted', 'budget_exhausted']) {
      expect(await use(session)).toBe(left);
      await worker.afterwards();
    }
    expect((await list())[0]?.usesLeft).toBe(0);
  });

  test('on a hit costs no read and no write before the answer, whatever its size', async () => {
    const { worker, prepare, request, sign, open } = laneOfUser();
    const { sessionId } = await open({ uses: 160 });
    await prepare(16);
    worker.forget();
    for (let i = 0; i < 16; i++) {
      await sign(request({ session: sessionId }));
      expect([worker.effects, worker.writes]).toEqual([[], []]);
      await worker.afterwards();
      worker.forget();
    }
  });

  test('is written off in blocks, after the answer', async () => {
    const { worker, prepare, request, sign, open } = laneOfUser();
    const { sessionId } = await open({ uses: 160 });
    await prepare(16);
    await worker.afterwards();
    worker.forget();
    for (let i = 0; i < 10; i++) {
      await sign(request({ session: sessionId }));
      await worker.afterwards();
    }
    expect(worker.writes).toEqual(['signing-session']);
  });

  test.each([
    [1_000, STANDARD_SETTINGS.sessionLeaseUses],
    [160, 10],
    [20, 1],
  ])('of %i uses loses %i with the object’s memory, and gets none back', async (uses, lost) => {
    const { worker, open, use, list } = laneOfUser();
    const session = await open({ uses });
    const left = (await use(session)) as number;
    worker.restart();
    expect((await list())[0]?.usesLeft).toBe(uses - lost);
    expect(await use(session)).toBe(uses - lost - 1);
    expect(uses - lost).toBeLessThanOrEqual(left);
  });

  test('never gives more signatures than uses, with restarts in between and requests side by side', async () => {
    const { worker, open, prepare, request, sign, shareRequest, giveShare } = laneOfUser();
    const { sessionId } = await open({ uses: 40 });
    let signed = 0;
    for (let round = 0; round < 12; round++) {
      await prepare(4);
      const asked = Array.from({ length: 4 }, () => [
        sign(request({ session: sessionId })),
        giveShare(shareRequest({ session: sessionId }).body),
      ]);
      const outcomes = await Promise.allSettled<unknown>(asked.flat());
      signed += outcomes.filter(({ status }) => status === 'fulfilled').length;
      if (round % 2 === 0) await worker.afterwards();
      if (round % 3 === 2) worker.restart();
    }
    expect(signed).toBeLessThanOrEqual(40);
    expect(signed).toBeGreaterThan(30);
  });

  test('counts an answer once, however often the same request comes, and gives it also when nothing is left', async () => {
    const { open, prepare, request, sign, list } = laneOfUser();
    const { sessionId } = await open({ uses: 1 });
    await prepare(2);
    const body = request({ session: sessionId });
    const first = await sign(body);
    expect(first.usesLeft).toBe(0);
    expect((await sign(body)).signature).toEqual(first.signature);
    await expect(sign(request({ session: sessionId }))).rejects.toMatchObject({ code: 'budget_exhausted' });
    expect((await list())[0]?.usesLeft).toBe(0);
  });

  test('counts a share that is given without a presign in the same way', async () => {
    const { open, shareRequest, giveShare, list } = laneOfUser();
    const { sessionId } = await open({ uses: 2 });
    const { body } = shareRequest({ session: sessionId });
    const [first] = await Promise.all([giveShare(body), giveShare(body)]);
    expect((await list())[0]?.usesLeft).toBe(1);
    expect((await giveShare(shareRequest({ session: sessionId }).body)).usesLeft).toBe(0);
    await expect(giveShare(shareRequest({ session: sessionId }).body)).rejects.toMatchObject({ code: 'budget_exhausted' });
    expect((await giveShare(body)).signatureShare).toEqual(first?.signatureShare);
    const forged = { ...(shareRequest({ session: sessionId }).body as object), signature: toBase64Url(new Uint8Array(64)) };
    await expect(giveShare(forged)).rejects.toMatchObject({ code: 'authorization_invalid' });
    expect((await list())[0]?.usesLeft).toBe(0);
  });

  test('counts no request that fails, and what it refuses spends no presign', async () => {
    const { open, prepare, request, sign } = laneOfUser();
    const { sessionId } = await open({ uses: 1 });
    await prepare(3);
    const wrong = request({ session: sessionId, share: group.randomScalar(random) });
    await expect(sign(wrong)).rejects.toMatchObject({ code: 'invalid_signature_share' });
    const [good, late] = [request({ session: sessionId }), request({ session: sessionId })];
    expect((await sign(good)).usesLeft).toBe(0);
    await expect(sign(late)).rejects.toMatchObject({ code: 'budget_exhausted' });
    expect((await sign({ ...(late as object), session: null })).usesLeft).toBeNull();
  });

  test('is over in time', async () => {
    const { worker, open, use, list } = laneOfUser();
    const session = await open({ expiresAtMs: NOW_MS + 1_000 });
    worker.nowMs = NOW_MS + 1_000;
    expect(await use(session)).toBe(2);
    worker.nowMs = NOW_MS + 1_001;
    expect(await use(session)).toBe('session_unknown');
    expect(await list()).toEqual([]);
  });

  test('is closed at once and for good, also for its own statement and after a restart', async () => {
    const { worker, opening, ask, use, list } = laneOfUser();
    const body = opening();
    const session = await ask(body);
    expect(await use(session)).toBe(2);
    expect(await list(session.sessionId)).toEqual([]);
    expect(await use(session)).toBe('session_unknown');
    await expect(ask(body)).rejects.toMatchObject({ code: 'session_unknown' });
    worker.restart();
    expect(await use(session)).toBe('session_unknown');
    await expect(list(random(32))).rejects.toMatchObject({ code: 'session_unknown' });
  });

  test('is opened once, however often it is asked for', async () => {
    const { opening, ask, use, list } = laneOfUser();
    const body = opening();
    const session = await ask(body);
    await use(session);
    expect((await ask(body)).usesLeft).toBe(2);
    expect(await list()).toHaveLength(1);
  });
});

describe('a signing session ends', () => {
  test('with its epoch: the first signature of the next one drops it', async () => {
    const { open, use, stage, at, sign, list } = laneOfUser();
    const session = await open();
    stage(2);
    const next = at({ ...lane, epoch: 2 });
    await next.prepare(2);
    await expect(sign(next.request({ session: session.sessionId }))).rejects.toMatchObject({ code: 'session_unknown' });
    expect(await use(session)).toBe(2);
    expect((await sign(next.request())).signature).toHaveLength(64);
    await next.prepare();
    await expect(sign(next.request({ session: session.sessionId }))).rejects.toMatchObject({ code: 'session_unknown' });
    await expect(list()).rejects.toMatchObject({ code: 'epoch_retired' });
  });

  test('with its lane', async () => {
    const { worker, open, owner, prepare, request, sign } = laneOfUser();
    const { sessionId } = await open();
    await prepare(2);
    const [before, after] = [request({ session: sessionId }), request({ session: sessionId })];
    await sign(before);
    const { walletId, keyIndex, lane: number } = lane;
    const statement = { deployment: 'test', walletId, keyIndex, lane: number, issuedAtMs: NOW_MS, nonce: random(32) };
    const proof = owner.prove(RevokeStatement.encode(statement));
    await worker.ask('/lanes/revoke', RevokeRequest.toJson({ statement, proof }));
    await expect(sign(after)).rejects.toMatchObject({ code: 'epoch_retired' });
    expect(worker.writes.filter((table) => table === 'signing-session')).toHaveLength(2);
  });

  test('with the credential that opened it, and with no other', async () => {
    for (const [removed, outcome] of [
      [0, 'session_unknown'],
      [1, 1],
    ] as const) {
      const { worker, open, use, authority, owner } = laneOfUser();
      const session = await open();
      expect(await use(session)).toBe(2);
      const credentials = authority.credentials.filter((_, i) => i !== removed);
      const next = { ...authority, version: 2, previous: AuthorityStatement.digest(authority), credentials };
      const proof = owner.prove(AuthorityStatement.encode(next));
      await worker.ask('/authority', AuthorityRequest.toJson({ update: { authority: next, proof } }));
      expect(await use(session)).toBe(outcome);
    }
  });
});

describe('a signing session is not opened', () => {
  test.each([
    ['by a stranger', {}, 'authorization_invalid'],
    ['for no uses', { uses: 0 }, 'invalid_request'],
    ['for too many uses', { uses: LIMITS.signingSessionUses + 1 }, 'invalid_request'],
    ['for too long', { expiresAtMs: NOW_MS + LIMITS.signingSessionLifeMs + 1 }, 'invalid_request'],
    ['for no time', { expiresAtMs: NOW_MS }, 'invalid_request'],
    ['by a statement of before', { issuedAtMs: NOW_MS - LIMITS.clockSkewMs - 1 }, 'request_expired'],
    ['for another deployment', { deployment: 'other' }, 'request_mismatch'],
    ['for another epoch', { lane: { ...lane, epoch: 2 } }, 'epoch_mismatch'],
    ['for another lane', { lane: { ...lane, lane: 2 } }, 'lane_unknown'],
  ] as const)('%s', async (why, changes, code) => {
    const { opening, ask } = laneOfUser();
    const body = why === 'by a stranger' ? opening(changes, newCredential()) : opening(changes);
    await expect(ask(body)).rejects.toMatchObject({ code, party: 'client' });
  });

  test('with a proof of another statement', async () => {
    const { opening, ask } = laneOfUser();
    const [few, many] = [opening({ uses: 1 }), opening({ uses: 1_000 })] as { [key: string]: object }[];
    await expect(ask({ ...many, proof: few?.proof })).rejects.toMatchObject({ code: 'authorization_invalid' });
  });

  test('beyond a lane’s limit', async () => {
    const { open } = laneOfUser();
    for (let i = 0; i < LIMITS.signingSessionsPerLane; i++) await open();
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
  });
});

test('sessions are shown and closed for the lane’s device alone', async () => {
  const { worker, open } = laneOfUser();
  const { sessionId } = await open();
  const statement = { deployment: 'test', lane, close: sessionId, issuedAtMs: NOW_MS };
  const signature = ed25519.sign(SigningSessionsStatement.encode(statement), random(32));
  const asked = worker.ask('/sessions', SigningSessionsRequest.toJson({ statement, signature }));
  await expect(asked).rejects.toMatchObject({ code: 'authorization_invalid' });
});
