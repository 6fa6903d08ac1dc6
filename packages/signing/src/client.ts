import { type SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group, Point } from '@streaming-yao/group';
import type { SignRequest } from '@streaming-yao/wire';
import type { WorkerCommitments } from './commitment-pool.ts';
import { type CommittedNonces, commit, signatureShare, signingContext, wipeNonces } from './frost.ts';
import { bothCommitments, CLIENT } from './lane.ts';

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
