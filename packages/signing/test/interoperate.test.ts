import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { SecretBytes } from '@streaming-yao/core';
import { encodeScalar, L, modL } from '@streaming-yao/group';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { clientSign, completeSignature, drawNonces } from '../src/client.ts';
import { CommitmentPool, type WorkerCommitments } from '../src/commitment-pool.ts';
import { presignIdOf } from '../src/lane.ts';
import { PresignPool } from '../src/presign-pool.ts';
import { dealt, group, lane, message, NOW_MS, ONE, random, TWO, twoSigners, verifiesEverywhere } from './two-signers.ts';

/** The SigningWorker's presigns for a key that is the sum of two shares. */
function poolOf(share: SecretBytes, clientShare: SecretBytes): PresignPool {
  const groupPublicKey = group.baseMultiply(group.addScalars(share, clientShare));
  return new PresignPool({ group, lane, share, groupPublicKey, clientCommitment: group.baseMultiply(clientShare), random });
}

describe('@noble/curves ed25519_FROST', () => {
  it('as the client, with our SigningWorker', () => {
    const { shared, first, clientShare, workerShare, groupPublicKey } = dealt();
    const pool = poolOf(workerShare, clientShare);
    const [presign] = pool.prepare(1, NOW_MS) as [Presign];
    const { nonces, commitments } = noble.commit(first);
    const worker = { identifier: TWO, hiding: presign.hiding, binding: presign.binding };
    const signatureShare = noble.signShare(first, shared, nonces, [commitments, worker], message);
    const { hiding, binding } = commitments;
    const signature = pool.finish({ presignId: presign.presignId, hiding, binding, signatureShare, message }, NOW_MS);
    expect(verifiesEverywhere(groupPublicKey, message, signature)).toBe(true);
  });

  it('as the SigningWorker, with our client', () => {
    const { shared, second, clientShare, groupPublicKey } = dealt();
    const { nonces, commitments } = noble.commit(second);
    const offered = { hiding: commitments.hiding, binding: commitments.binding, expiresAtMs: NOW_MS + 60_000 };
    const stock = new CommitmentPool(group, lane);
    stock.takeIn({ ...offered, presignId: presignIdOf(lane, offered) }, NOW_MS);
    const workerCommitments = stock.take(NOW_MS) as WorkerCommitments;
    const part = clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message, random });
    const list = [{ identifier: ONE, hiding: part.hiding, binding: part.binding }, commitments];
    expect(noble.verifyShare(shared, list, message, ONE, part.signatureShare)).toBe(true);
    const theirs = noble.signShare(second, shared, nonces, list, message);
    const signature = noble.aggregate(shared, list, message, { [ONE]: part.signatureShare, [TWO]: theirs });
    expect(verifiesEverywhere(groupPublicKey, message, signature)).toBe(true);
  });

  it('as the client that brings its commitments, with our SigningWorker', () => {
    const { shared, first, clientShare, workerShare, groupPublicKey } = dealt();
    const pool = poolOf(workerShare, clientShare);
    const { nonces, commitments } = noble.commit(first);
    const given = pool.giveShare('one', { hiding: commitments.hiding, binding: commitments.binding, message });
    const list = [commitments, { identifier: TWO, hiding: given.hiding, binding: given.binding }];
    expect(noble.verifyShare(shared, list, message, TWO, given.signatureShare)).toBe(true);
    const own = noble.signShare(first, shared, nonces, list, message);
    const signature = noble.aggregate(shared, list, message, { [ONE]: own, [TWO]: given.signatureShare });
    expect(verifiesEverywhere(groupPublicKey, message, signature)).toBe(true);
  });

  it('as the SigningWorker that answers them, with our client', () => {
    const { shared, second, clientShare, groupPublicKey } = dealt();
    const nonces = drawNonces(group, clientShare, random);
    const { hiding, binding } = nonces.commitments;
    const theirs = noble.commit(second);
    const list = [{ identifier: ONE, hiding: hiding.encoded, binding: binding.encoded }, theirs.commitments];
    const signatureShare = noble.signShare(second, shared, theirs.nonces, list, message);
    const given = { hiding: theirs.commitments.hiding, binding: theirs.commitments.binding, signatureShare };
    const key = group.decodePoint(groupPublicKey);
    const signature = completeSignature({ group, share: clientShare, groupPublicKey: key, message, nonces, given });
    expect(verifiesEverywhere(groupPublicKey, message, signature)).toBe(true);
  });
});

describe('joint signatures', () => {
  it('verify everywhere for a thousand keys of random shares', () => {
    for (let i = 0; i < 1_000; i++) {
      const { pool, request, groupPublicKey } = twoSigners();
      const signed = random(i % 97);
      expect(verifiesEverywhere(groupPublicKey, signed, pool.finish(request(signed), NOW_MS))).toBe(true);
    }
  }, 300_000);

  it.each([0, 1, 65_536])('cover messages of %i bytes', (length) => {
    const { pool, request, groupPublicKey } = twoSigners();
    const signed = random(length);
    expect(verifiesEverywhere(groupPublicKey, signed, pool.finish(request(signed), NOW_MS))).toBe(true);
  });

  it.each([1n, 2n, L - 1n])('hold for the client share %i', (value) => {
    const workerShare = group.randomScalar(random);
    const clientShare = SecretBytes.own(encodeScalar(modL(value)));
    const groupPublicKey = group.baseMultiply(group.addScalars(clientShare, workerShare));
    const pool = poolOf(workerShare, clientShare);
    const stock = new CommitmentPool(group, lane);
    for (const presign of pool.prepare(1, NOW_MS)) stock.takeIn(presign, NOW_MS);
    const workerCommitments = stock.take(NOW_MS) as WorkerCommitments;
    const part = clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message, random });
    expect(verifiesEverywhere(groupPublicKey, message, pool.finish({ ...part, message }, NOW_MS))).toBe(true);
  });
});
