import { createPublicKey, verify } from 'node:crypto';
import { ed25519, ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { SecretBytes, toBase64Url } from '@streaming-yao/core';
import { encodeScalar, L, modL } from '@streaming-yao/group';
import type { Presign } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { clientSign } from '../src/client.ts';
import { CommitmentPool, type WorkerCommitments } from '../src/commitment-pool.ts';
import { presignIdOf } from '../src/lane.ts';
import { PresignPool } from '../src/presign-pool.ts';
import { group, lane, message, NOW_MS, random, twoSigners } from './two-signers.ts';

const [ONE, TWO] = [noble.Identifier.fromNumber(1), noble.Identifier.fromNumber(2)];

/** A key of two signers dealt by @noble/curves, and its shares as this protocol adds them: xc = 2 s1, xs = -s2. */
function dealt() {
  const { public: shared, secretShares } = noble.trustedDealer({ min: 2, max: 2 }, [ONE, TWO]);
  const [first, second] = [secretShares[ONE], secretShares[TWO]];
  if (!first || !second) throw new Error('a dealer of two deals two shares');
  using zero = SecretBytes.own(new Uint8Array(32));
  const clientShare = group.multiplyAdd(2n, SecretBytes.copy(first.signingShare), zero);
  const workerShare = group.subtractScalars(zero, SecretBytes.copy(second.signingShare));
  return { shared, first, second, clientShare, workerShare, groupPublicKey: shared.commitments[0] as Uint8Array };
}

/** The SigningWorker's presigns for a key that is the sum of two shares. */
function poolOf(share: SecretBytes, clientShare: SecretBytes): PresignPool {
  const groupPublicKey = group.baseMultiply(group.addScalars(share, clientShare));
  return new PresignPool({ group, lane, share, groupPublicKey, clientCommitment: group.baseMultiply(clientShare), random });
}

function verifiesEverywhere(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) } });
  const answers = [
    verify(null, signed, key, signature),
    ed25519.verify(signature, signed, publicKey, { zip215: false }),
    ed25519.verify(signature, signed, publicKey),
    group.verifyEd25519(publicKey, signed, signature),
  ];
  return answers.every((answer) => answer);
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
