import type { Lane } from '@streaming-yao/ceremony/client';
import { ask, type Program, signWith } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { YaoError } from '@streaming-yao/core';
import { acceptSignature, CommitmentPool, clientSign, completeSignature, drawNonces } from '@streaming-yao/signing';
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

const REQUEST_LIFE_MS = 30_000;

/** Signs under a presign, for which it asks first. @returns 64 bytes, verified */
export function* sign(s: ClientSurroundings, lane: Lane, message: Uint8Array): Program<Uint8Array> {
  const named = nameOf(lane);
  const statement = { lane: named, count: 1, issuedAtMs: s.now(), nonce: s.random(32) };
  const signature = yield* signWith(lane.laneSeed, PrepareStatement.encode(statement));
  const prepare = PrepareRequest.toJson({ statement, signature });
  const { presigns } = PrepareAnswer.fromJson(yield* ask('/router-ab/ed25519/sign/prepare', prepare));
  const pool = new CommitmentPool(s.group, named);
  for (const presign of presigns) pool.takeIn(presign, s.now());
  const workerCommitments = pool.take(s.now());
  if (!workerCommitments) throw new YaoError('not_ready', 'the SigningWorker gave no presign that can be used');
  const { group, random } = s;
  const { share, publicKey } = lane;
  const part = clientSign({ group, share, groupPublicKey: publicKey, workerCommitments, message, random });
  const request = {
    lane: named,
    message,
    preimage: null,
    session: null,
    ...part,
    wanted: 1,
    expiresAtMs: s.now() + REQUEST_LIFE_MS,
  };
  const answer = SignAnswer.fromJson(yield* ask('/router-ab/ed25519/sign', SignRequest.toJson(request)));
  return acceptSignature(s.group, publicKey, message, answer.signature);
}

/** Signs without a presign. @returns 64 bytes, verified */
export function* signWithoutPresign(s: ClientSurroundings, lane: Lane, message: Uint8Array): Program<Uint8Array> {
  const { group, random } = s;
  const { share, publicKey } = lane;
  const nonces = drawNonces(group, share, random);
  const [hiding, binding] = [nonces.commitments.hiding.encoded, nonces.commitments.binding.encoded];
  const said = { hiding, binding, preimage: null, session: null, held: null, issuedAtMs: s.now() };
  const statement = { lane: nameOf(lane), message, ...said };
  const signature = yield* signWith(lane.laneSeed, SignatureShareStatement.encode(statement));
  const request = SignatureShareRequest.toJson({ statement, signature });
  const given = SignatureShareAnswer.fromJson(yield* ask('/router-ab/ed25519/sign/share', request));
  return completeSignature({ group, share, groupPublicKey: group.decodePoint(publicKey), message, nonces, given });
}

const nameOf = ({ walletId, keyIndex, lane, epoch }: Lane): LaneEpoch => ({ walletId, keyIndex, lane, epoch });
