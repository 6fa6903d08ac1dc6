import type { ClientSurroundings, Lane } from '@streaming-yao/ceremony/client';
import { ask, type Program, signWith } from '@streaming-yao/ceremony/program';
import { LIMITS } from '@streaming-yao/core';
import { acceptSignature, CommitmentPool, clientSign, type WorkerCommitments } from '@streaming-yao/signing';
import { PrepareAnswer, PrepareRequest, PrepareStatement, SignAnswer, SignRequest } from '@streaming-yao/wire';

/** How long a signing request may travel. */
const SIGN_LIFE_MS = 30_000;

export interface Signed {
  readonly signature: Uint8Array;
  /** Whether commitments were at hand, so that one request was enough. */
  readonly poolHit: boolean;
}

/** Signs with one epoch of one lane. docs/protocol.md section 9. */
export class LaneSigner {
  readonly #s: ClientSurroundings;
  readonly #lane: Lane;
  readonly #pool: CommitmentPool;

  constructor(s: ClientSurroundings, lane: Lane) {
    this.#s = s;
    this.#lane = lane;
    this.#pool = new CommitmentPool(s.group, laneEpochOf(lane));
  }

  /** The epoch whose commitments the pool holds. */
  get lane(): Lane {
    return this.#lane;
  }

  /** @returns a plain RFC 8032 signature, verified */
  *sign(message: Uint8Array): Program<Signed> {
    const held = this.#pool.take(this.#s.now());
    const signature = yield* this.#signUnder(held ?? (yield* this.#prepare()), message);
    return { signature, poolHit: held !== undefined };
  }

  /** Fetches commitments ahead of the next signature. */
  *prefetch(): Program<void> {
    const count = this.#pool.wanted(this.#s.now());
    if (count > 0) yield* this.#refill(count);
  }

  *#prepare(): Program<WorkerCommitments> {
    for (;;) {
      yield* this.#refill(LIMITS.presignsPerPrepare);
      const fresh = this.#pool.take(this.#s.now());
      if (fresh) return fresh;
    }
  }

  *#refill(count: number): Program<void> {
    const statement = { lane: laneEpochOf(this.#lane), count, issuedAtMs: this.#s.now(), nonce: this.#s.random(32) };
    const signature = yield* signWith(this.#lane.laneSeed, PrepareStatement.encode(statement));
    const answer = yield* ask('/router-ab/ed25519/sign/prepare', PrepareRequest.toJson({ statement, signature }));
    this.#pool.refill(PrepareAnswer.fromJson(answer).presigns, this.#s.now());
  }

  *#signUnder(workerCommitments: WorkerCommitments, message: Uint8Array): Program<Uint8Array> {
    const { group, random } = this.#s;
    const { share, publicKey } = this.#lane;
    const part = clientSign({ group, share, groupPublicKey: publicKey, workerCommitments, message, random });
    const expiresAtMs = this.#s.now() + SIGN_LIFE_MS;
    const request = SignRequest.toJson({ lane: laneEpochOf(this.#lane), ...part, message, expiresAtMs });
    const answer = SignAnswer.fromJson(yield* ask('/router-ab/ed25519/sign', request));
    const signature = acceptSignature(group, publicKey, message, answer.signature);
    this.#pool.refill(answer.presigns, this.#s.now());
    return signature;
  }
}

function laneEpochOf({ walletId, keyIndex, lane, epoch }: Lane) {
  return { walletId, keyIndex, lane, epoch };
}
