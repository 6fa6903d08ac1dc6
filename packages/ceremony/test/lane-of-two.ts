import { ed25519 } from '@noble/curves/ed25519.js';
import type { SigningPolicy } from '@streaming-yao/ceremony/role';
import { type SecretBytes, utf8 } from '@streaming-yao/core';
import { CommitmentPool, clientSign, completeSignature, drawNonces, type WorkerCommitments } from '@streaming-yao/signing';
import {
  type LaneEpoch,
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SignRequest,
} from '@streaming-yao/wire';
import { group, lane, random, SigningWorkerAlone } from './signing-worker-alone.ts';

export const message = utf8('pay 3 to Bo');

/** What a signing request says, where not what it always says. */
export interface Asked {
  readonly wanted?: number;
  readonly message?: Uint8Array;
  readonly preimage?: Uint8Array | null;
  readonly session?: Uint8Array | null;
  /** The client's share, where not its own. */
  readonly share?: SecretBytes;
}

/** A lane whose two shares are at hand, and the client's side of it. */
export function laneOfTwo(policy?: SigningPolicy) {
  const [share, serverShare, laneSeed] = [group.randomScalar(random), group.randomScalar(random), random(32)];
  using key = group.addScalars(share, serverShare);
  const groupPublicKey = group.baseMultiply(key);
  const worker = new SigningWorkerAlone(policy);
  const laneKey = ed25519.getPublicKey(laneSeed);
  worker.hold(serverShare, groupPublicKey, laneKey);
  const byLane = (statement: Uint8Array): Uint8Array => ed25519.sign(statement, laneSeed);
  const at = (named: LaneEpoch) => {
    const stock = new CommitmentPool(group, named);
    const prepare = async (count = 1): Promise<void> => {
      const statement = { lane: named, count, issuedAtMs: worker.nowMs, nonce: random(32) };
      const prepared = PrepareRequest.toJson({ statement, signature: byLane(PrepareStatement.encode(statement)) });
      const { presigns } = PrepareAnswer.fromJson(await worker.ask('/sign/prepare', prepared));
      for (const presign of presigns) stock.takeIn(presign, worker.nowMs);
    };
    const request = ({ wanted = 0, preimage = null, session = null, ...asked }: Asked = {}) => {
      const workerCommitments = stock.take(worker.nowMs) as WorkerCommitments;
      const signed = asked.message ?? message;
      const part = clientSign({
        ...{ group, share: asked.share ?? share, groupPublicKey, workerCommitments, message: signed, random },
      });
      const said = { message: signed, preimage, session, wanted, expiresAtMs: worker.nowMs + 1 };
      return SignRequest.toJson({ lane: named, ...part, ...said });
    };
    /** A request that needs no presign, and how its answer is completed. */
    const shareRequest = ({ preimage = null, session = null, ...asked }: Asked = {}, held: Uint8Array | null = null) => {
      const nonces = drawNonces(group, share, random);
      const [hiding, binding] = [nonces.commitments.hiding.encoded, nonces.commitments.binding.encoded];
      const signed = asked.message ?? message;
      const statement = { lane: named, message: signed, hiding, binding, preimage, session, held, issuedAtMs: worker.nowMs };
      const signature = byLane(SignatureShareStatement.encode(statement));
      const complete = (given: SignatureShareAnswer): Uint8Array =>
        completeSignature({ group, share, groupPublicKey: group.decodePoint(groupPublicKey), message: signed, nonces, given });
      return { body: SignatureShareRequest.toJson({ statement, signature }), complete };
    };
    return { stock, prepare, request, shareRequest };
  };
  const sign = async (body: unknown): Promise<SignAnswer> => SignAnswer.fromJson(await worker.ask('/sign', body));
  const giveShare = async (body: unknown): Promise<SignatureShareAnswer> =>
    SignatureShareAnswer.fromJson(await worker.ask('/sign/share', body));
  /** A new pair of shares of the same key, waiting for its first signature. */
  const stage = (epoch: number): void => worker.hold(serverShare, groupPublicKey, laneKey, epoch, 'staged');
  return { worker, groupPublicKey, sign, giveShare, stage, byLane, at, ...at(lane) };
}
