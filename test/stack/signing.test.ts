import { createPublicKey, verify } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Lane } from '@streaming-yao/ceremony/client';
import { LaneSigner } from '@streaming-yao/client/signer';
import { LIMITS, toBase64Url, toHex, utf8 } from '@streaming-yao/core';
import { type SignatureShareAnswer, SignatureShareRequest, SignRequest } from '@streaming-yao/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { registerKey } from './ceremonies.ts';
import { type Around, group, outcomeOf, random, TestDevice } from './device.ts';
import { LaneByHand, type ShareAsked, type SignBody } from './lane-hand.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();
let device: TestDevice;
let lane: Lane;
let hand: LaneByHand;
beforeAll(async () => {
  device = new TestDevice(shared.stack);
  const key = await registerKey(device);
  lane = key.lane;
  hand = new LaneByHand(key);
});

/** Asks another implementation than the project's. */
function verifies(message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(hand.publicKey) };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

const textOf = (i: number): Uint8Array => utf8(`message ${i}`);
const messageOf = (body: SignBody): Uint8Array => SignRequest.fromJson(body).message;
const messageOfShare = ({ body }: ShareAsked): Uint8Array => SignatureShareRequest.fromJson(body).statement.message;

/** Every signature that was ever answered. */
class Answers {
  readonly #answered: { readonly message: Uint8Array; readonly signature: Uint8Array }[] = [];
  readonly outcomes: string[] = [];

  async note(body: SignBody): Promise<void> {
    const message = messageOf(body);
    const answered = hand.send(body).then((signature) => this.#answered.push({ message, signature }));
    this.outcomes.push(await outcomeOf(answered));
  }

  count(outcome: string): number {
    return this.outcomes.filter((each) => each === outcome).length;
  }

  /** How many R have signed; each must have signed one message only, and validly. */
  get nonces(): number {
    const messages = new Map<string, string>();
    for (const { message, signature } of this.#answered) {
      const [nonce, signed] = [toHex(signature.subarray(0, 32)), toHex(message)];
      expect(verifies(message, signature)).toBe(true);
      expect(messages.get(nonce) ?? signed).toBe(signed);
      messages.set(nonce, signed);
    }
    return messages.size;
  }
}

describe('one presign', () => {
  test('gives one signature to a hundred requests at once, with different messages', async () => {
    const [presign] = await hand.prepare(1);
    if (!presign) throw new Error('no presign');
    const bodies = Array.from({ length: 100 }, (_, i) => hand.request(presign, textOf(i)));
    const answers = new Answers();
    await Promise.all(bodies.map((body) => answers.note(body)));
    expect([answers.nonces, answers.count('done'), answers.count('presign_spent')]).toEqual([1, 1, 99]);
    await Promise.all(bodies.map((body) => answers.note(body)));
    expect([answers.nonces, answers.count('done'), answers.count('presign_spent')]).toEqual([1, 2, 198]);
  });

  test('gives the identical request the identical answer, thirty times at once and once more', async () => {
    const [presign] = await hand.prepare(1);
    if (!presign) throw new Error('no presign');
    const body = hand.request(presign, textOf(1));
    const signatures = await Promise.all(Array.from({ length: 30 }, () => hand.send(body)));
    signatures.push(await hand.send(body));
    expect(new Set(signatures.map(toHex)).size).toBe(1);
    const anew = hand.request(presign, textOf(1));
    expect(await outcomeOf(hand.send(anew))).toBe('presign_spent');
  });
});

describe('a SigningWorker that is killed', () => {
  test.each([0, 1, 2, 3])('after %i of three requests knows no presign of before, and signs on', async (before) => {
    const presigns = await hand.prepare(3);
    const bodies = presigns.map((presign, i) => hand.request(presign, textOf(i)));
    const others = presigns.map((presign, i) => hand.request(presign, textOf(10 + i)));
    const answers = new Answers();
    for (const body of bodies.slice(0, before)) await answers.note(body);
    await shared.stack.restart('signing-worker');
    for (const body of [...bodies, ...others]) await answers.note(body);
    expect([answers.nonces, answers.count('done'), answers.count('presign_spent')]).toEqual([before, before, 6]);
    const [fresh] = await hand.prepare(1);
    if (fresh) await answers.note(hand.request(fresh, textOf(0)));
    expect(answers.nonces).toBe(before + 1);
  });

  test.each([0, 3, 9])('%i ms into a crowd of requests has signed at most once under a nonce', async (afterMs) => {
    const presigns = await hand.prepare(8);
    const bodies = presigns.flatMap((presign) => [0, 1, 2].map((i) => hand.request(presign, textOf(i))));
    const answers = new Answers();
    const crowd = bodies.map((body) => answers.note(body));
    await wait(afterMs);
    await shared.stack.restart('signing-worker');
    await Promise.all(crowd);
    await Promise.all(bodies.map((body) => answers.note(body)));
    expect(answers.nonces).toBeLessThanOrEqual(presigns.length);
    expect(answers.outcomes.slice(-bodies.length).filter((outcome) => outcome !== 'presign_spent')).toEqual([]);
  });
});

test('a backup of the SigningWorker that is restored knows no presign, spent or not, and signs on', async () => {
  const { folder, roles } = shared.stack;
  const role = roles['signing-worker'];
  const [objects, backup] = [path.join(folder, 'signing-worker', 'objects'), path.join(folder, 'backup of the SigningWorker')];
  const ofBefore = await hand.prepare(2);
  const answers = new Answers();
  await role.down();
  await cp(objects, backup, { recursive: true });
  await role.up();
  const [fresh] = await hand.prepare(1);
  if (!fresh) throw new Error('no presign');
  const body = hand.request(fresh, textOf(1));
  await answers.note(body);
  await role.down();
  await rm(objects, { recursive: true });
  await cp(backup, objects, { recursive: true });
  await role.up();
  const others = [...ofBefore, fresh].map((presign) => hand.request(presign, textOf(2)));
  for (const each of [body, ...others]) await answers.note(each);
  expect([answers.nonces, answers.count('done'), answers.count('presign_spent')]).toEqual([1, 1, 4]);
  const [next] = await hand.prepare(1);
  if (next) await answers.note(hand.request(next, textOf(3)));
  expect(answers.nonces).toBe(2);
});

describe('a signature without a presign', () => {
  const complete = async (asked: ShareAsked): Promise<Uint8Array> => asked.complete(await hand.askShare(asked));
  const commitmentsOf = ({ hiding, binding }: SignatureShareAnswer): string => `${toHex(hiding)} ${toHex(binding)}`;

  test('is given to each of a hundred requests at once, under an R of its own', async () => {
    const messages = Array.from({ length: 100 }, (_, i) => textOf(i % 10));
    const signatures = await Promise.all(messages.map((message) => complete(hand.shareRequest(message))));
    for (const [i, signature] of signatures.entries()) expect(verifies(messages[i] as Uint8Array, signature)).toBe(true);
    expect(new Set(signatures.map((signature) => toHex(signature.subarray(0, 32)))).size).toBe(100);
  });

  test('comes from one share for the identical request, thirty times at once; a second one cannot be completed', async () => {
    const asked = hand.shareRequest(textOf(1));
    const answers = await Promise.all(Array.from({ length: 30 }, () => hand.askShare(asked)));
    expect(new Set(answers.map(commitmentsOf)).size).toBe(1);
    const [first] = answers as [SignatureShareAnswer];
    expect(verifies(textOf(1), asked.complete(first))).toBe(true);
    expect(() => asked.complete(first)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  });

  test.each([0, 3, 9])(
    'asked of a SigningWorker that is killed after %i ms is made under nonces that never come back',
    async (afterMs) => {
      const all = Array.from({ length: 8 }, (_, i) => hand.shareRequest(textOf(i)));
      const answers: SignatureShareAnswer[] = [];
      const ask = (asked: ShareAsked) => hand.askShare(asked).then((answer) => void answers.push(answer));
      const crowd = Promise.allSettled(all.map(ask));
      await wait(afterMs);
      await shared.stack.restart('signing-worker');
      await crowd;
      const before = answers.length;
      await Promise.all(all.map(ask));
      expect(answers.length).toBe(before + 8);
      const shares = answers.map((answer) => `${commitmentsOf(answer)} ${toHex(answer.signatureShare)}`);
      expect(new Set(shares).size).toBe(new Set(answers.map(commitmentsOf)).size);
      for (const asked of all) expect(verifies(messageOfShare(asked), await complete(asked))).toBe(true);
    },
  );

  test('is what a wallet’s first one is, one request; and one more when what was at hand has been forgotten', async () => {
    const own = new TestDevice(shared.stack);
    await own.wallet.register();
    expect(await own.wallet.sign(textOf(1))).toMatchObject({ poolHit: false, requests: 1 });
    await own.wallet.prefetch();
    expect(await own.wallet.sign(textOf(2))).toMatchObject({ poolHit: true, requests: 1 });
    await shared.stack.restart('signing-worker');
    const signed = await own.wallet.sign(textOf(3));
    expect(signed).toMatchObject({ poolHit: false, requests: 2 });
    expect(group.verifyEd25519(await own.wallet.publicKey(), textOf(3), signed.signature)).toBe(true);
    await own.wallet.prefetch();
    expect(await own.wallet.sign(textOf(4))).toMatchObject({ poolHit: true, requests: 1 });
  });

  test('is refused for another epoch', async () => {
    expect(await outcomeOf(hand.askShare(hand.shareRequest(textOf(1), 2)))).toBe('epoch_mismatch');
  });

  test('covers as much as is allowed, and not one byte more', async () => {
    const longest = random(LIMITS.signedMessageBytes);
    expect(verifies(longest, await complete(hand.shareRequest(longest)))).toBe(true);
    const { statement, ...signed } = hand.shareRequest(textOf(1)).body as { readonly statement: object };
    const message = toBase64Url(new Uint8Array(LIMITS.signedMessageBytes + 1));
    expect(await outcomeOf(hand.askShare({ body: { ...signed, statement: { ...statement, message } } }))).toBe('invalid_length');
  });
});

describe('what is signed is what was admitted', () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
  test.each([
    ['no byte at all', new Uint8Array(0)],
    ['every byte there is', everyByte],
    ['text that is no UTF-8', Uint8Array.of(0xff, 0xfe, 0xc0, 0x80, 0)],
    ['as much as is allowed', random(LIMITS.signedMessageBytes)],
  ])('%s', async (_, message) => {
    const [presign] = await hand.prepare(1);
    if (!presign) throw new Error('no presign');
    const signature = await hand.send(hand.request(presign, message));
    expect(verifies(message, signature)).toBe(true);
  });

  test('one byte more than is allowed is refused, and its presign is not spent', async () => {
    const [presign] = await hand.prepare(1);
    if (!presign) throw new Error('no presign');
    const body = hand.request(presign, textOf(1));
    const long = { ...(body as object), message: toBase64Url(new Uint8Array(LIMITS.signedMessageBytes + 1)) };
    expect(await outcomeOf(hand.send(long))).toBe('invalid_length');
    expect(verifies(textOf(1), await hand.send(body))).toBe(true);
  });

  test.each(['sign', 'sign/share'])(
    'a body of %s that is too long for any message is refused before it is read',
    async (route) => {
      const response = await fetch(new URL(`/router-ab/ed25519/${route}`, shared.stack.routerUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'A'.repeat(LIMITS.signBodyBytes) }),
      });
      expect(response.status).toBe(413);
    },
  );
});

describe('a failure names who caused it', () => {
  test('a wrong client share: the client; its presign is spent', async () => {
    const [presign] = await hand.prepare(1);
    if (!presign) throw new Error('no presign');
    const wrong = hand.request(presign, textOf(1), group.randomScalar(random));
    await expect(hand.send(wrong)).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'client' });
    expect(await outcomeOf(hand.send(hand.request(presign, textOf(1))))).toBe('presign_spent');
  });

  /** Whatever is answered, with its first letter changed in one field. */
  const changing =
    (field: string): Around =>
    async (effect, perform) => {
      const answer = await perform(effect);
      if (effect.kind !== 'ask') return answer;
      const value = (answer as Record<string, string>)[field] ?? '';
      return { ...(answer as object), [field]: (value.startsWith('A') ? 'B' : 'A') + value.slice(1) };
    };

  test('an answer that was changed on its way: the client says so, and gives no signature out', async () => {
    const signer = new LaneSigner(device.surroundings, lane);
    await device.stockUp(signer);
    const changed = device.run(signer.sign(textOf(1)), changing('signature'));
    await expect(changed).rejects.toMatchObject({ code: 'invalid_signature_share', party: 'signing-worker' });
  });

  test.each(['hiding', 'binding', 'signatureShare'])('a share’s %s that was changed on its way: the same', async (field) => {
    const signer = new LaneSigner(device.surroundings, lane);
    const changed = device.run(signer.signWithoutPresign(textOf(1)), changing(field));
    const code = expect.stringMatching(/^invalid_(signature_share|point|scalar)$/);
    await expect(changed).rejects.toMatchObject({ code, party: 'signing-worker' });
  });
});

test('nobody asks a Deriver: with both down, a wallet signs, under presigns and without', async () => {
  const { roles } = shared.stack;
  await Promise.all([roles['deriver-a'].down(), roles['deriver-b'].down()]);
  try {
    const signer = new LaneSigner(device.surroundings, lane);
    await device.stockUp(signer);
    for (const signing of [signer.sign(textOf(1)), signer.sign(textOf(1)), signer.signWithoutPresign(textOf(1))]) {
      const { signature } = await device.run(signing);
      expect(verifies(textOf(1), signature)).toBe(true);
    }
  } finally {
    await Promise.all([roles['deriver-a'].up(), roles['deriver-b'].up()]);
  }
});
