import { ed25519 } from '@noble/curves/ed25519.js';
import { LIMITS, toBase64Url, toHex } from '@streaming-yao/core';
import { expect, test } from 'vitest';
import { laneOfTwo, message } from './lane-of-two.ts';
import { group, NOW_MS, random } from './signing-worker-alone.ts';

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
