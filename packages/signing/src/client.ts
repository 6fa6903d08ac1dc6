import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { decodeScalar, type Group, type Point } from '@streaming-yao/group';
import type { SignRequest } from '@streaming-yao/wire';
import type { WorkerCommitments } from './commitment-pool.ts';
import { aggregate, type CommittedNonces, commit, signatureShare, signingContext, verifyAggregate, wipeNonces } from './frost.ts';
import { bothCommitments, CLIENT, decodeCommitments, decodeSignatureShare } from './lane.ts';
import type { GivenShare } from './presign-pool.ts';

/** What the client adds to a message to make it a signing request. */
export type ClientPart = Pick<SignRequest, 'presignId' | 'hiding' | 'binding' | 'signatureShare'>;

/** What the client's part of one signature is made of. */
export interface ClientSigning {
  readonly group: Group;
  /** xc: 32 bytes. */
  readonly share: SecretBytes;
  readonly groupPublicKey: Uint8Array;
  /** Taken from the pool for this message alone. */
  readonly workerCommitments: WorkerCommitments;
  readonly message: Uint8Array;
  readonly random: (length: number) => Uint8Array;
  /** From {@link drawNonces} of this lane, where they were drawn ahead; spent here. */
  readonly nonces?: CommittedNonces | undefined;
}

/**
 * Nonces for one later signature of a lane, for when nobody is waiting.
 * @param share xc: 32 bytes
 * @throws YaoError `invalid_scalar` when the share is malformed
 */
export function drawNonces(group: Group, share: SecretBytes, random: (length: number) => Uint8Array): CommittedNonces {
  using half = group.halveScalar(share);
  return commit(group, half, random);
}

/**
 * The client's part of one signature, under nonces that are gone on return.
 * Sending the result again is safe; anything else, a changed message above all, takes a new call and new commitments.
 * @throws YaoError `invalid_scalar` when the share is malformed; `secret_wiped` for nonces that were spent
 */
export function clientSign(signing: ClientSigning): ClientPart {
  const { group, workerCommitments } = signing;
  using share = group.halveScalar(signing.share);
  const { nonces, commitments } = signing.nonces ?? commit(group, share, signing.random);
  try {
    const list = bothCommitments(commitments, workerCommitments.commitments);
    const context = signingContext(group, signing.groupPublicKey, list, signing.message);
    using own = signatureShare(group, context, CLIENT, share, nonces);
    return {
      presignId: workerCommitments.presignId,
      hiding: commitments.hiding.encoded,
      binding: commitments.binding.encoded,
      signatureShare: own.use((bytes) => bytes.slice()),
    };
  } finally {
    wipeNonces(nonces);
  }
}

/** What a signature is completed from, once the SigningWorker has given its share for it. */
export interface ClientCompleting {
  readonly group: Group;
  /** xc: 32 bytes. */
  readonly share: SecretBytes;
  /** Decoded, and fixed where many signatures are to come. */
  readonly groupPublicKey: Point;
  readonly message: Uint8Array;
  /** From {@link drawNonces}; their commitments went out with the message. Spent here. */
  readonly nonces: CommittedNonces;
  readonly given: GivenShare;
}

/**
 * The signature of a message whose request went out under the client's commitments: 64 bytes, verified.
 * @throws YaoError `invalid_point`, `invalid_scalar`, `invalid_signature_share` naming the SigningWorker, and then neither the 64 bytes
 *   nor the client's own share leave; `invalid_scalar` when the share is malformed; `secret_wiped` for nonces that were spent
 */
export function completeSignature({ group, groupPublicKey, message, given, ...own }: ClientCompleting): Uint8Array {
  const { nonces, commitments } = own.nonces;
  try {
    const ofWorker = decodeCommitments(group, given, 'signing-worker');
    const workerShare = decodeSignatureShare(given.signatureShare, 'signing-worker');
    using share = group.halveScalar(own.share);
    const context = signingContext(group, groupPublicKey.encoded, bothCommitments(commitments, ofWorker), message);
    using ownShare = signatureShare(group, context, CLIENT, share, nonces);
    const signature = aggregate(context, [ownShare.use(decodeScalar), workerShare]);
    if (verifyAggregate(group, context, groupPublicKey, decodeScalar(signature.subarray(32)))) return signature;
  } finally {
    wipeNonces(nonces);
  }
  throw new YaoError('invalid_signature_share', 'a commitment or the signature share of the answer is not right; sign again', {
    party: 'signing-worker',
  });
}

/**
 * The signature the SigningWorker answered with, if it is one.
 * @param groupPublicKey 32 bytes, or the point decoded (and fixed, where many signatures are to come)
 * @throws YaoError `invalid_signature_share` naming the SigningWorker; the 64 bytes stay inside
 */
export function acceptSignature(
  group: Group,
  groupPublicKey: Uint8Array | Point,
  message: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  if (group.verifyEd25519(groupPublicKey, message, signature)) return signature;
  throw new YaoError('invalid_signature_share', 'the answer is no signature of this message; sign again with a new presign', {
    party: 'signing-worker',
  });
}
