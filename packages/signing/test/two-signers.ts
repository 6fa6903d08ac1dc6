import { createPublicKey, verify } from 'node:crypto';
import { ed25519, ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { SecretBytes, toBase64Url } from '@streaming-yao/core';
import { encodeScalar } from '@streaming-yao/group';
import { loadGroup } from '@streaming-yao/group/node';
import type { LaneEpoch, Presign } from '@streaming-yao/wire';
import { clientSign } from '../src/client.ts';
import { CommitmentPool, type WorkerCommitments } from '../src/commitment-pool.ts';
import { type FinishRequest, PresignPool, type PresignPoolSettings } from '../src/presign-pool.ts';

export const group = loadGroup();
export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
export const lane: LaneEpoch = { walletId: 'wallet', keyIndex: 0, lane: 1, epoch: 3 };
export const NOW_MS = 1_800_000_000_000;
export const message = new TextEncoder().encode('pay 3 to Bo');

/** A fresh key in two additive shares, and both sides' pools for one lane of it. */
export function twoSigners(settings: Partial<PresignPoolSettings> = {}) {
  const clientShare = group.randomScalar(random);
  const workerShare = group.randomScalar(random);
  using key = group.addScalars(clientShare, workerShare);
  const groupPublicKey = group.baseMultiply(key);
  const clientCommitment = group.baseMultiply(clientShare);
  const poolLane = { group, lane, share: workerShare, groupPublicKey, clientCommitment, random };
  const pool = new PresignPool({ ...poolLane, settings });

  const sign = (workerCommitments: WorkerCommitments, signed: Uint8Array = message): FinishRequest => ({
    message: signed,
    ...clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message: signed, random }),
  });
  /** A request under a new presign. */
  const request = (signed: Uint8Array = message): FinishRequest => sign(checked(pool.prepare(1, NOW_MS)[0] as Presign), signed);
  return { clientShare, workerShare, groupPublicKey, poolLane, pool, sign, request };
}

/** Commitments as the client's pool gives them out. */
export function checked(presign: Presign): WorkerCommitments {
  const stock = new CommitmentPool(group, lane, { marginMs: 0 });
  stock.takeIn(presign, NOW_MS);
  return stock.take(NOW_MS) as WorkerCommitments;
}

export const scalarOf = (value: bigint): SecretBytes => SecretBytes.own(encodeScalar(value));

/** The two signers as @noble/curves names them. */
export const [ONE, TWO] = [noble.Identifier.fromNumber(1), noble.Identifier.fromNumber(2)];

/** A key of two signers dealt by @noble/curves, and its shares as this protocol adds them: xc = 2 s1, xs = -s2. */
export function dealt() {
  const { public: shared, secretShares } = noble.trustedDealer({ min: 2, max: 2 }, [ONE, TWO]);
  const [first, second] = [secretShares[ONE], secretShares[TWO]];
  if (!first || !second) throw new Error('a dealer of two deals two shares');
  using zero = SecretBytes.own(new Uint8Array(32));
  const clientShare = group.multiplyAdd(2n, SecretBytes.copy(first.signingShare), zero);
  const workerShare = group.subtractScalars(zero, SecretBytes.copy(second.signingShare));
  return { shared, first, second, clientShare, workerShare, groupPublicKey: shared.commitments[0] as Uint8Array };
}

/** Asks other implementations than the project’s, strict and not, and its own. */
export function verifiesEverywhere(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) } });
  const answers = [
    verify(null, signed, key, signature),
    ed25519.verify(signature, signed, publicKey, { zip215: false }),
    ed25519.verify(signature, signed, publicKey),
    group.verifyEd25519(publicKey, signed, signature),
  ];
  return answers.every((answer) => answer);
}
