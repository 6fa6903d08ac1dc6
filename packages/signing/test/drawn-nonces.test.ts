import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';
import { clientSign, drawNonces } from '../src/client.ts';
import { checked, group, message, NOW_MS, random, twoSigners } from './two-signers.ts';

describe('client nonces that were drawn ahead', () => {
  const { clientShare, groupPublicKey, pool } = twoSigners();
  const signing = () => {
    const [presign] = pool.prepare(1, NOW_MS);
    if (!presign) throw new Error('the pool gave no presign');
    return { group, share: clientShare, groupPublicKey, workerCommitments: checked(presign), message, random };
  };

  it('make a signature', () => {
    const nonces = drawNonces(group, clientShare, random);
    const part = clientSign({ ...signing(), nonces });
    expect([part.hiding, part.binding]).toEqual([nonces.commitments.hiding.encoded, nonces.commitments.binding.encoded]);
    expect(ed25519.verify(pool.finish({ message, ...part }, NOW_MS), message, groupPublicKey)).toBe(true);
  });

  it('are wiped with the one signature that they make', () => {
    const nonces = drawNonces(group, clientShare, random);
    clientSign({ ...signing(), nonces });
    expect([nonces.nonces.hiding.wiped, nonces.nonces.binding.wiped]).toEqual([true, true]);
    const again = { ...signing(), message: Uint8Array.of(1), nonces };
    expect(() => clientSign(again)).toThrow(expect.objectContaining({ code: 'secret_wiped' }));
  });

  it('are wiped as well by a signature that fails', () => {
    const nonces = drawNonces(group, clientShare, random);
    const { workerCommitments, ...rest } = signing();
    const { hiding } = workerCommitments.commitments;
    const forged = { ...workerCommitments, commitments: { hiding, binding: { encoded: hiding.encoded } } };
    expect(() => clientSign({ ...rest, workerCommitments: forged, nonces })).toThrow(
      expect.objectContaining({ code: 'invalid_point' }),
    );
    expect([nonces.nonces.hiding.wiped, nonces.nonces.binding.wiped]).toEqual([true, true]);
  });
});
