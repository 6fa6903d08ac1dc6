import { ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, toBase64Url, toHex } from '@streaming-yao/core';
import { SignatureShareRequest, SignatureShareStatement } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { laneOfTwo, message } from './lane-of-two.ts';
import { group, lane, NOW_MS, random } from './signing-worker-alone.ts';

test('on a hit nothing is read or written before the answer, and nothing written after it', async () => {
  const { worker, groupPublicKey, prepare, request, sign } = laneOfTwo();
  await prepare(4);
  expect(worker.effects).toContain('transact');
  await worker.afterwards();
  worker.forget();
  for (const wanted of [0, 3, 0]) {
    const { signature } = await sign(request({ wanted }));
    expect(group.verifyEd25519(groupPublicKey, message, signature)).toBe(true);
    expect([worker.effects, worker.writes]).toEqual([[], []]);
    await worker.afterwards();
    expect(worker.effects).not.toContain('transact');
    worker.forget();
  }
});

test('a restarted object knows no presign of before, opens no share to say so, and writes nothing to go on', async () => {
  const { worker, prepare, request, sign } = laneOfTwo();
  await prepare(2);
  const before = request();
  worker.restart();
  worker.forget();
  await expect(sign(before)).rejects.toMatchObject({ code: 'presign_spent' });
  expect(worker.effects).toEqual(['transact']);
  worker.forget();
  await prepare();
  expect(worker.effects).toEqual(['transact', 'vault-read', 'transact', 'verify']);
  expect(worker.writes).toEqual([]);
});

test('an answer brings presigns that were made ahead, no more than are wanted, and makes nobody wait for more', async () => {
  const { worker, prepare, request, sign } = laneOfTwo();
  await prepare(LIMITS.presignsPerPrepare);
  const brought: string[] = [];
  for (const [wanted, length] of [
    [5, 0],
    [0, 0],
    [255, 3],
    [5, 1],
    [0, 0],
    [0, 0],
    [2, 2],
    [255, 2],
  ] as const) {
    const { presigns } = await sign(request({ wanted }));
    expect(presigns).toHaveLength(length);
    brought.push(...presigns.map(({ presignId }) => toHex(presignId)));
    await worker.afterwards();
  }
  expect(new Set(brought).size).toBe(brought.length);
});

test('a presign made after one answer is handed out by another, and signs', async () => {
  const { worker, groupPublicKey, stock, prepare, request, sign } = laneOfTwo();
  await prepare(2);
  await sign(request());
  await worker.afterwards();
  const { presigns } = await sign(request({ wanted: 1 }));
  for (const presign of presigns) stock.takeIn(presign, NOW_MS);
  expect(group.verifyEd25519(groupPublicKey, message, (await sign(request())).signature)).toBe(true);
});

test('a request that names a public key is refused, whichever it is, and its presign is not spent', async () => {
  const { groupPublicKey, prepare, request, sign } = laneOfTwo();
  await prepare();
  const body = request() as { readonly [field: string]: unknown };
  for (const publicKey of [groupPublicKey, random(32)]) {
    const naming = sign({ ...body, publicKey: toBase64Url(publicKey) });
    await expect(naming).rejects.toMatchObject({ code: 'unknown_field' });
  }
  expect(group.verifyEd25519(groupPublicKey, message, (await sign(body)).signature)).toBe(true);
});

test('what is signed is the message, byte for byte, whatever its length', async () => {
  const { groupPublicKey, prepare, request, sign } = laneOfTwo();
  const messages = [new Uint8Array(0), Uint8Array.of(0), random(LIMITS.signedMessageBytes)];
  await prepare(messages.length);
  for (const signed of messages) {
    expect(ed25519.verify((await sign(request({ message: signed }))).signature, signed, groupPublicKey)).toBe(true);
  }
});

describe('a signature without a presign', () => {
  test('takes one request, and writes nothing before the answer nor after it', async () => {
    const { worker, groupPublicKey, giveShare, shareRequest } = laneOfTwo();
    for (const effects of [['transact', 'vault-read', 'transact', 'verify'], ['verify']]) {
      worker.forget();
      const { body, complete } = shareRequest();
      expect(ed25519.verify(complete(await giveShare(body)), message, groupPublicKey)).toBe(true);
      expect([worker.effects, worker.writes]).toEqual([effects, []]);
      await worker.afterwards();
      expect(worker.writes).toEqual([]);
    }
  });

  test('covers the message byte for byte, whatever its length', async () => {
    const { groupPublicKey, giveShare, shareRequest } = laneOfTwo();
    for (const signed of [new Uint8Array(0), Uint8Array.of(0), random(LIMITS.signedMessageBytes)]) {
      const { body, complete } = shareRequest({ message: signed });
      expect(ed25519.verify(complete(await giveShare(body)), signed, groupPublicKey)).toBe(true);
    }
  });

  test('gets the same answer again, also at once; a restarted object gives another one, under other nonces', async () => {
    const { worker, giveShare, shareRequest } = laneOfTwo();
    const { body } = shareRequest();
    const [first, second] = await Promise.all([giveShare(body), giveShare(body)]);
    expect(second).toEqual(first);
    expect(await giveShare(body)).toEqual(first);
    worker.restart();
    const anew = await giveShare(body);
    expect([toHex(anew.hiding), toHex(anew.binding)]).not.toEqual([toHex(first.hiding), toHex(first.binding)]);
  });

  test('tells whether a presign of before is still good', async () => {
    const { worker, stock, prepare, giveShare, shareRequest } = laneOfTwo();
    await prepare(2);
    const held = stock.latest as Uint8Array;
    expect((await giveShare(shareRequest({}, held).body)).held).toBe(true);
    expect((await giveShare(shareRequest().body)).held).toBe(false);
    worker.restart();
    expect((await giveShare(shareRequest({}, held).body)).held).toBe(false);
  });

  test.each(['message', 'hiding', 'binding', 'preimage', 'session', 'held', 'issuedAtMs', 'lane'])(
    'is refused when its %s was changed on the way: the lane’s key has signed another one',
    async (field) => {
      const { worker, giveShare, shareRequest } = laneOfTwo();
      await giveShare(shareRequest().body);
      const { statement, signature } = shareRequest().body as unknown as { statement: object; signature: string };
      const point = toBase64Url(group.baseMultiply(group.randomScalar(random)));
      const bytes = toBase64Url(random(32));
      const others = {
        ...{ message: bytes, hiding: point, binding: point, preimage: bytes, session: bytes, held: bytes },
        ...{ issuedAtMs: NOW_MS - 1, lane: { ...lane, walletId: 'another' } },
      };
      const changed = { ...statement, [field]: others[field as keyof typeof others] };
      await expect(giveShare({ statement: changed, signature })).rejects.toMatchObject({ code: 'authorization_invalid' });
      expect(worker.writes).toEqual([]);
    },
  );

  test('is refused when it is old, or from the future', async () => {
    const { worker, giveShare, shareRequest } = laneOfTwo();
    const { body } = shareRequest();
    for (const nowMs of [NOW_MS - LIMITS.clockSkewMs - 1, NOW_MS + LIMITS.clockSkewMs + 1]) {
      worker.nowMs = nowMs;
      await expect(giveShare(body)).rejects.toMatchObject({ code: 'request_expired', party: 'client' });
    }
  });

  test('is refused by an epoch that waits for its confirmation, which a presign’s signature brings', async () => {
    const { stage, at, sign, giveShare } = laneOfTwo();
    stage(2);
    const next = at({ ...lane, epoch: 2 });
    await expect(giveShare(next.shareRequest().body)).rejects.toMatchObject({ code: 'not_ready', party: 'client' });
    await next.prepare();
    await sign(next.request());
    const { body, complete } = next.shareRequest();
    expect(complete(await giveShare(body))).toHaveLength(64);
    await expect(giveShare(at(lane).shareRequest().body)).rejects.toMatchObject({ code: 'epoch_retired' });
  });

  test('is refused when its epoch ends while it is looked at', async () => {
    const { worker, stage, at, sign, giveShare, shareRequest } = laneOfTwo();
    stage(2);
    const next = at({ ...lane, epoch: 2 });
    await next.prepare();
    const { body } = shareRequest();
    worker.meanwhile.set('verify', () => sign(next.request()));
    await expect(giveShare(body)).rejects.toMatchObject({ code: 'epoch_retired' });
  });

  test('is made by an epoch that is confirmed while it is looked at', async () => {
    const { worker, stage, at, sign, giveShare } = laneOfTwo();
    stage(2);
    const next = at({ ...lane, epoch: 2 });
    await next.prepare();
    const { body, complete } = next.shareRequest();
    worker.meanwhile.set('verify', () => sign(next.request()));
    expect(complete(await giveShare(body))).toHaveLength(64);
  });

  test('with a commitment of the client that is no good point draws no nonce', async () => {
    const { giveShare, byLane } = laneOfTwo();
    const at = { lane, message, hiding: new Uint8Array(32), binding: new Uint8Array(32) };
    const statement = { ...at, preimage: null, session: null, held: null, issuedAtMs: NOW_MS };
    const signature = byLane(SignatureShareStatement.encode(statement));
    const asked = giveShare(SignatureShareRequest.toJson({ statement, signature }));
    await expect(asked).rejects.toMatchObject({ code: 'invalid_point', party: 'client' });
  });
});
