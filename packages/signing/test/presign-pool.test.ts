import { LIMITS, toHex } from '@streaming-yao/core';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { presignIdOf } from '../src/lane.ts';
import { PresignPool } from '../src/presign-pool.ts';
import { checked, group, lane, message, NOW_MS, twoSigners } from './two-signers.ts';

const spent = expect.objectContaining({ code: 'presign_spent' });
const other = new TextEncoder().encode('pay 3000 to Bo');

describe('a presign', () => {
  it('signs once, in a plain Ed25519 signature', () => {
    const { pool, request, groupPublicKey } = twoSigners();
    const signature = pool.finish(request(), NOW_MS);
    expect(group.verifyEd25519(groupPublicKey, message, signature)).toBe(true);
    expect(pool.size).toBe(0);
  });

  it('gives one signature to a hundred concurrent requests with different messages', async () => {
    const { pool, sign } = twoSigners();
    const presign = checked(pool.prepare(1, NOW_MS)[0] as Presign);
    const requests = Array.from({ length: 100 }, (_, i) => sign(presign, Uint8Array.of(i)));
    const outcomes = await Promise.allSettled(requests.map(async (request) => pool.finish(request, NOW_MS)));
    const signatures = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(signatures).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toEqual(spent);
  });

  it('answers the identical request again, alike', () => {
    const { pool, request } = twoSigners();
    const first = request();
    const signature = pool.finish(first, NOW_MS);
    signature.fill(0, 0, 1);
    const again = pool.finish(first, NOW_MS + LIMITS.presignLifeMs);
    expect(toHex(again).slice(2)).toBe(toHex(signature).slice(2));
    expect(toHex(again)).toBe(toHex(pool.finish({ ...first, message: first.message.slice() }, NOW_MS)));
  });

  it.each(['message', 'hiding', 'binding', 'signatureShare'] as const)('is spent for a request with another %s', (field) => {
    const { pool, request } = twoSigners();
    const first = request();
    const second = request();
    pool.finish(first, NOW_MS);
    const changed = { ...first, [field]: field === 'message' ? other : second[field] };
    expect(() => pool.finish(changed, NOW_MS)).toThrow(spent);
  });

  it('is burned by a request that fails', () => {
    const { pool, request } = twoSigners();
    const good = request();
    expect(() => pool.finish({ ...good, message: other }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'invalid_signature_share', party: 'client' }),
    );
    expect(() => pool.finish(good, NOW_MS)).toThrow(spent);
    expect(pool.size).toBe(0);
  });

  it('ends with its life, and stays ended when the clock steps back', () => {
    const { pool, request } = twoSigners({ lifeMs: 1_000 });
    const late = request();
    expect(() => pool.finish(late, NOW_MS + 1_000)).toThrow(spent);
    expect(() => pool.finish(late, NOW_MS)).toThrow(spent);
    const swept = request();
    pool.prepare(1, NOW_MS + 1_000);
    expect(() => pool.finish(swept, NOW_MS)).toThrow(spent);
  });

  it('is unknown to another pool of the same lane: nothing survives a restart', () => {
    const { pool, request, poolLane, groupPublicKey } = twoSigners();
    const first = request();
    const restarted = new PresignPool(poolLane);
    expect(() => restarted.finish(first, NOW_MS)).toThrow(spent);
    expect(group.verifyEd25519(groupPublicKey, message, pool.finish(first, NOW_MS))).toBe(true);
  });

  it('has an id that names lane, epoch, commitments and expiry', () => {
    const { pool } = twoSigners();
    const [first, second] = pool.prepare(2, NOW_MS) as [Presign, Presign];
    const ids = [
      presignIdOf(lane, first),
      presignIdOf({ ...lane, epoch: lane.epoch + 1 }, first),
      presignIdOf({ ...lane, lane: lane.lane + 1 }, first),
      presignIdOf(lane, { ...first, hiding: second.hiding }),
      presignIdOf(lane, { ...first, binding: second.binding }),
      presignIdOf(lane, { ...first, expiresAtMs: first.expiresAtMs + 1 }),
    ].map(toHex);
    expect(ids[0]).toBe(toHex(first.presignId));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a presign made ahead', () => {
  it('is handed out before a new one is made, once, and signs', () => {
    const { pool, sign, groupPublicKey } = twoSigners();
    pool.makeAhead(NOW_MS);
    pool.makeAhead(NOW_MS);
    expect(pool.size).toBe(2);
    const first = pool.prepare(1, NOW_MS + 1);
    expect(pool.size).toBe(2);
    const others = pool.prepare(2, NOW_MS + 1);
    expect(pool.size).toBe(3);
    expect([...first, ...others].map(({ expiresAtMs }) => expiresAtMs - NOW_MS - LIMITS.presignLifeMs)).toEqual([0, 0, 1]);
    expect(new Set([...first, ...others].map(({ presignId }) => toHex(presignId))).size).toBe(3);
    const signature = pool.finish(sign(checked(first[0] as Presign)), NOW_MS);
    expect(group.verifyEd25519(groupPublicKey, message, signature)).toBe(true);
  });

  it('is burned instead once half its life is over', () => {
    const { pool } = twoSigners({ lifeMs: 1_000 });
    pool.makeAhead(NOW_MS);
    const [presign] = pool.prepare(1, NOW_MS + 500) as [Presign];
    expect(presign.expiresAtMs).toBe(NOW_MS + 1_500);
    expect(pool.size).toBe(1);
  });

  it('is one of a limited number, also of those that the pool holds', () => {
    const { pool } = twoSigners({ ahead: 3, unspent: 4 });
    for (let i = 0; i < 9; i++) pool.makeAhead(NOW_MS);
    expect(pool.size).toBe(3);
    const offered = pool.prepare(4, NOW_MS);
    for (let i = 0; i < 9; i++) pool.makeAhead(NOW_MS);
    expect(pool.size).toBe(4);
    expect(new Set([...offered, ...pool.prepare(4, NOW_MS)].map(({ presignId }) => toHex(presignId))).size).toBe(8);
  });

  it('is dropped with the pool, which then makes no more', () => {
    const { pool } = twoSigners();
    pool.makeAhead(NOW_MS);
    pool.drop();
    pool.makeAhead(NOW_MS);
    expect(pool.size).toBe(0);
  });
});

describe('the pool', () => {
  it('signs one message twice under two different R', () => {
    const { pool, request, groupPublicKey } = twoSigners();
    const signatures = [request(), request()].map((each) => pool.finish(each, NOW_MS));
    for (const signature of signatures) expect(group.verifyEd25519(groupPublicKey, message, signature)).toBe(true);
    expect(toHex((signatures[0] as Uint8Array).subarray(0, 32))).not.toBe(toHex((signatures[1] as Uint8Array).subarray(0, 32)));
  });

  it('burns the oldest beyond its size, never more than it was told to hold', () => {
    const { pool, sign } = twoSigners({ unspent: 4 });
    const old = pool.prepare(3, NOW_MS).map((presign) => sign(checked(presign)));
    expect(pool.prepare(9, NOW_MS)).toHaveLength(4);
    expect(pool.size).toBe(4);
    for (const request of old) expect(() => pool.finish(request, NOW_MS)).toThrow(spent);
  });

  it('remembers no more answers than it was told to', () => {
    const { pool, request } = twoSigners({ answers: 2 });
    const requests = [request(), request(), request()];
    for (const each of requests) pool.finish(each, NOW_MS);
    const [first, second, third] = requests as [(typeof requests)[0], (typeof requests)[0], (typeof requests)[0]];
    expect(() => pool.finish(first, NOW_MS)).toThrow(spent);
    expect(pool.finish(second, NOW_MS)).toHaveLength(64);
    expect(pool.finish(third, NOW_MS)).toHaveLength(64);
  });

  it('drops nonces, share and answers at once', () => {
    const { pool, request, workerShare } = twoSigners();
    const [finished, open] = [request(), request()];
    pool.finish(finished, NOW_MS);
    pool.drop();
    expect(() => pool.finish(finished, NOW_MS)).toThrow(spent);
    expect(() => pool.finish(open, NOW_MS)).toThrow(spent);
    expect(() => pool.prepare(1, NOW_MS)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
    expect(workerShare.wiped).toBe(false);
  });

  it('draws nonces that a frozen random source alone does not repeat across shares', () => {
    const frozen = (length: number): Uint8Array => new Uint8Array(length).fill(7);
    const offered = [twoSigners(), twoSigners()].map(
      ({ poolLane }) => new PresignPool({ ...poolLane, random: frozen }).prepare(1, NOW_MS)[0] as Presign,
    );
    expect(toHex((offered[0] as Presign).hiding)).not.toBe(toHex((offered[1] as Presign).hiding));
  });
});
