import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { fromHex, toHex } from '@streaming-yao/core';
import { describe, expect, it, vi } from 'vitest';
import { completeSignature, drawNonces } from '../src/client.ts';
import type { CommittedNonces } from '../src/frost.ts';
import { type GivenShare, PresignPool, type ShareRequest } from '../src/presign-pool.ts';
import { group, message, random, twoSigners, verifiesEverywhere } from './two-signers.ts';

const other = new TextEncoder().encode('pay 3000 to Bo');

/** A key of two signers that sign by one request each. */
function signing(settings: Parameters<typeof twoSigners>[0] = {}) {
  const { clientShare, groupPublicKey, pool, workerShare, poolLane } = twoSigners(settings);
  const key = group.fix(group.decodePoint(groupPublicKey));
  const draw = (): CommittedNonces => drawNonces(group, clientShare, random);
  const ask = ({ commitments: { hiding, binding } }: CommittedNonces, signed: Uint8Array = message): ShareRequest => ({
    ...{ hiding: hiding.encoded, binding: binding.encoded, message: signed },
  });
  const complete = (nonces: CommittedNonces, given: GivenShare, signed: Uint8Array = message): Uint8Array =>
    completeSignature({ group, share: clientShare, groupPublicKey: key, message: signed, nonces, given });
  return { clientShare, workerShare, groupPublicKey, pool, poolLane, draw, ask, complete };
}

function thrown(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('a share that is given at once', () => {
  it('completes a plain Ed25519 signature, for a thousand keys of random shares', () => {
    for (let i = 0; i < 1_000; i++) {
      const { pool, groupPublicKey, draw, ask, complete } = signing();
      const [nonces, signed] = [draw(), random(i % 97)];
      const signature = complete(nonces, pool.giveShare('one', ask(nonces, signed)), signed);
      expect(verifiesEverywhere(groupPublicKey, signed, signature)).toBe(true);
    }
  }, 300_000);

  it.each([0, 1, 65_536])('covers a message of %i bytes', (length) => {
    const { pool, groupPublicKey, draw, ask, complete } = signing();
    const [nonces, signed] = [draw(), random(length)];
    const signature = complete(nonces, pool.giveShare('one', ask(nonces, signed)), signed);
    expect(verifiesEverywhere(groupPublicKey, signed, signature)).toBe(true);
  });

  it('takes no presign, and leaves none behind', () => {
    const { pool, draw, ask } = signing();
    pool.prepare(3, 0);
    pool.giveShare('one', ask(draw()));
    expect(pool.size).toBe(3);
  });

  it('is given again, alike, to the same request, and is another one for any other', () => {
    const { pool, draw, ask } = signing();
    const request = ask(draw());
    const given = pool.giveShare('one', request);
    expect([pool.gaveShare('one'), pool.gaveShare('two')]).toEqual([true, false]);
    expect(pool.giveShare('one', request)).toEqual(given);
    // The same client commitments under another message, too: nonces of the SigningWorker are never those of before.
    const all = [given, pool.giveShare('two', request), pool.giveShare('three', { ...request, message: other })];
    expect(new Set(all.flatMap(({ hiding, binding }) => [toHex(hiding), toHex(binding)])).size).toBe(6);
    expect(new Set(all.map(({ signatureShare }) => toHex(signatureShare))).size).toBe(3);
  });

  it('is remembered as long as there is room, and never costs two requests one nonce', () => {
    const { pool, draw, ask } = signing({ answers: 2 });
    const request = ask(draw());
    const given = pool.giveShare('one', request);
    for (const name of ['two', 'three']) pool.giveShare(name, ask(draw()));
    expect(pool.gaveShare('one')).toBe(false);
    const anew = pool.giveShare('one', request);
    expect([toHex(anew.hiding), toHex(anew.binding)]).not.toEqual([toHex(given.hiding), toHex(given.binding)]);
  });

  it('is not given once the epoch is over', () => {
    const { pool, draw, ask } = signing();
    const request = ask(draw());
    pool.giveShare('one', request);
    pool.drop();
    expect(pool.gaveShare('one')).toBe(false);
    expect(() => pool.giveShare('one', request)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  });

  it('signs the same message twice under two R', () => {
    const { pool, draw, ask, complete } = signing();
    const signatures = ['one', 'two'].map((name) => {
      const nonces = draw();
      return complete(nonces, pool.giveShare(name, ask(nonces)));
    });
    expect(new Set(signatures.map((signature) => toHex(signature.subarray(0, 32)))).size).toBe(2);
  });
});

describe('the client’s nonces', () => {
  it('complete one signature, and are gone', () => {
    const { pool, draw, ask, complete } = signing();
    const nonces = draw();
    const given = pool.giveShare('one', ask(nonces));
    complete(nonces, given);
    expect([nonces.nonces.hiding.wiped, nonces.nonces.binding.wiped]).toEqual([true, true]);
    expect(() => complete(nonces, given)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
    const again = pool.giveShare('two', ask(nonces, other));
    expect(() => complete(nonces, again, other)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  });

  it('are gone as well when the answer is not right, so that no second answer is completed', () => {
    const { pool, draw, ask, complete } = signing();
    const nonces = draw();
    const given = pool.giveShare('one', ask(nonces));
    expect(() => complete(nonces, { ...given, signatureShare: new Uint8Array(32) })).toThrow(
      expect.objectContaining({ code: 'invalid_signature_share' }),
    );
    expect(() => complete(nonces, given)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  });
});

describe('points and scalars from the other side', () => {
  const bad = [...ED25519_TORSION_SUBGROUP.map((torsion) => fromHex(torsion)), new Uint8Array(32).fill(0xff), new Uint8Array(31)];
  const { pool, draw, ask, complete } = signing();

  it.each(['hiding', 'binding'] as const)(
    'a client’s %s commitment that is no good point is refused, and laid at it',
    (field) => {
      const good = ask(draw());
      const mixed = ED25519_TORSION_SUBGROUP.slice(1).map((torsion) =>
        ed25519.Point.fromBytes(good[field]).add(ed25519.Point.fromHex(torsion, true)).toBytes(),
      );
      for (const bytes of [...bad, ...mixed]) {
        expect(() => pool.giveShare('bad', { ...good, [field]: bytes })).toThrow(
          expect.objectContaining({ code: 'invalid_point', party: 'client' }),
        );
      }
      expect(pool.gaveShare('bad')).toBe(false);
    },
  );

  it.each(['hiding', 'binding'] as const)('a SigningWorker’s %s commitment that is no good point is laid at it', (field) => {
    for (const bytes of bad) {
      const nonces = draw();
      const given = { ...pool.giveShare(toHex(random(8)), ask(nonces)), [field]: bytes };
      expect(thrown(() => complete(nonces, given))).toMatchObject({ code: 'invalid_point', party: 'signing-worker' });
    }
  });

  it('any bit of the answer that is flipped: the client names the SigningWorker, and no signature leaves', () => {
    for (const field of ['hiding', 'binding', 'signatureShare'] as const) {
      for (let bit = 0; bit < 256; bit += 17) {
        const nonces = draw();
        const given = pool.giveShare(`${field} ${bit}`, ask(nonces));
        const flipped = given[field].map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const error = thrown(() => complete(nonces, { ...given, [field]: flipped }));
        expect(error).toMatchObject({
          party: 'signing-worker',
          code: expect.stringMatching(/^invalid_(point|scalar|signature_share)$/),
        });
      }
    }
  });

  it('an answer to another message: the same', () => {
    const nonces = draw();
    const given = pool.giveShare('another message', ask(nonces, other));
    expect(thrown(() => complete(nonces, given))).toMatchObject({ code: 'invalid_signature_share', party: 'signing-worker' });
  });
});

it('draws its nonces anew for each share, from the random source and the share alike', () => {
  const { poolLane, draw, ask } = signing();
  const source = vi.fn(random);
  const pool = new PresignPool({ ...poolLane, random: source });
  pool.giveShare('one', ask(draw()));
  pool.giveShare('two', ask(draw()));
  expect(source.mock.calls).toEqual([[32], [32], [32], [32]]);
});
