import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { concatBytes, fromHex, SecretBytes } from '@streaming-yao/core';
import { L } from '@streaming-yao/group';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { acceptSignature } from '../src/client.ts';
import { CommitmentPool } from '../src/commitment-pool.ts';
import { type FinishRequest, PresignPool } from '../src/presign-pool.ts';
import { checked, group, lane, message, NOW_MS, twoSigners } from './two-signers.ts';

const { Point } = ed25519;
const IDENTITY = Point.ZERO.toBytes();
/** y = p + 1 stands for 1: the identity in a second spelling. */
const NON_CANONICAL = Uint8Array.from([0xee, ...Array.from({ length: 30 }, () => 0xff), 0x7f]);

function withTorsion(bytes: Uint8Array, torsion: string): Uint8Array {
  return Point.fromBytes(bytes).add(Point.fromHex(torsion, true)).toBytes();
}

/** L + s for a small s in 32 bytes. */
function aboveOrder(scalar: Uint8Array): Uint8Array {
  let value = L + BigInt(scalar[0] as number);
  return scalar.map(() => {
    const byte = Number(value & 0xffn);
    value >>= 8n;
    return byte;
  });
}

function code(run: () => unknown): unknown {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return error;
  }
}

describe.each(['hiding', 'binding'] as const)("the client's %s commitment", (field) => {
  const refused = expect.objectContaining({ code: 'invalid_point', party: 'client' });

  it.each(ED25519_TORSION_SUBGROUP.slice(1))('with the torsion component %s is refused', (torsion) => {
    const { pool, request } = twoSigners();
    const good = request();
    expect(() => pool.finish({ ...good, [field]: withTorsion(good[field], torsion) }, NOW_MS)).toThrow(refused);
    expect(pool.size).toBe(0);
  });

  it.each(ED25519_TORSION_SUBGROUP)('that is the torsion point %s is refused', (torsion) => {
    const { pool, request } = twoSigners();
    expect(() => pool.finish({ ...request(), [field]: fromHex(torsion) }, NOW_MS)).toThrow(refused);
  });

  it('that is the identity, non-canonical or no point is refused', () => {
    for (const bytes of [IDENTITY, NON_CANONICAL, Uint8Array.of(2, ...new Uint8Array(31)), new Uint8Array(31)]) {
      const { pool, request } = twoSigners();
      expect(() => pool.finish({ ...request(), [field]: bytes }, NOW_MS)).toThrow(refused);
    }
  });
});

describe("the client's signature share", () => {
  it('at or above the group order is refused', () => {
    const { pool, request } = twoSigners();
    const good = request();
    const above = { ...good, signatureShare: aboveOrder(good.signatureShare) };
    expect(() => pool.finish(above, NOW_MS)).toThrow(expect.objectContaining({ code: 'invalid_scalar', party: 'client' }));
  });

  it('with any bit flipped is laid at the client', () => {
    for (const bit of [0, 7, 100, 250]) {
      const { pool, request } = twoSigners();
      const good = request();
      const flipped = good.signatureShare.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => pool.finish({ ...good, signatureShare: flipped }, NOW_MS)).toThrow(
        expect.objectContaining({ code: 'invalid_signature_share', party: 'client' }),
      );
    }
  });

  it('for other commitments than those sent is laid at the client: a relay swapped them', () => {
    const { pool, request } = twoSigners();
    const [first, second] = [request(), request()] as [FinishRequest, FinishRequest];
    const swapped = { ...first, hiding: second.hiding };
    expect(code(() => pool.finish(swapped, NOW_MS))).toMatchObject({
      ...{ code: 'invalid_signature_share', party: 'client', message: expect.stringContaining('commitments') },
    });
    expect(code(() => pool.finish(first, NOW_MS))).toMatchObject({ code: 'presign_spent' });
  });
});

describe("the SigningWorker's side", () => {
  it('with a share of which one bit is wrong releases nothing and says that it is its own', () => {
    for (const bit of [0, 7, 100, 250]) {
      const { sign, workerShare, poolLane } = twoSigners();
      using wrong = workerShare.map((bytes) => bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)));
      using share = group.reduceScalar(SecretBytes.own(wrong.use((bytes) => concatBytes(bytes, new Uint8Array(32)))));
      const damaged = new PresignPool({ ...poolLane, share });
      const request = sign(checked(damaged.prepare(1, NOW_MS)[0] as Presign));
      expect(() => damaged.finish(request, NOW_MS)).toThrow(
        expect.objectContaining({ code: 'invalid_signature_share', party: 'signing-worker' }),
      );
      expect(code(() => damaged.finish(request, NOW_MS))).toMatchObject({ code: 'presign_spent' });
    }
  });

  it('is blamed by the client when the answer is no signature, and the 64 bytes stay inside', () => {
    const { pool, request, groupPublicKey } = twoSigners();
    const signature = pool.finish(request(), NOW_MS);
    expect(acceptSignature(group, groupPublicKey, message, signature)).toBe(signature);
    for (const place of [0, 31, 32, 63]) {
      const damaged = signature.map((byte, i) => (i === place ? byte ^ 1 : byte));
      expect(() => acceptSignature(group, groupPublicKey, message, damaged)).toThrow(
        expect.objectContaining({ code: 'invalid_signature_share', party: 'signing-worker' }),
      );
    }
  });

  it('cannot slip the client commitments that were not its own or are no good points', () => {
    const { pool } = twoSigners();
    const [first, second] = pool.prepare(2, NOW_MS);
    const stock = new CommitmentPool(group, lane);
    if (!first || !second) throw new Error('two presigns were asked for');
    expect(() => stock.takeIn({ ...first, hiding: second.hiding }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'commitment_mismatch', party: 'signing-worker' }),
    );
    expect(stock.take(NOW_MS)).toBeUndefined();
  });
});
