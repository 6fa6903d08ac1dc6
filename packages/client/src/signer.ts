import type { ClientSurroundings, Lane } from '@streaming-yao/ceremony/client';
import { ask, type Program, signWith } from '@streaming-yao/ceremony/program';
import { type Json, LIMITS, YaoError } from '@streaming-yao/core';
import type { Point } from '@streaming-yao/group';
import {
  acceptSignature,
  CommitmentPool,
  type CommitmentPoolSettings,
  type CommittedNonces,
  clientSign,
  completeSignature,
  drawNonces,
  wipeNonces,
} from '@streaming-yao/signing';
import {
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  type Presign,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SignRequest,
} from '@streaming-yao/wire';
import { type LaneFacts, wipeLane } from './lane-record.ts';

/** How long a signing request may travel. */
const SIGN_LIFE_MS = 30_000;

/** What a signing request says besides the message. */
export interface SignParts {
  /** What the message is the SHA-256 of, where a chain signs digests (NEAR), so that it can be seen what is signed. */
  readonly preimage?: Uint8Array | undefined;
  /** Id of the signing session that the signature counts in. */
  readonly session?: Uint8Array | undefined;
}

/** What both ways to sign answer with: a plain RFC 8032 signature, verified, and what its session has left. */
export type Answered = Pick<SignAnswer, 'signature' | 'usesLeft'>;

/** Signs with one epoch of one lane. docs/protocol.md section 9. */
export class LaneSigner {
  readonly #s: ClientSurroundings;
  readonly #lane: Lane;
  readonly #pool: CommitmentPool;
  #publicKey: Point | undefined;
  /** Drawn for the next signature: in memory only, known to nobody, and taken out before they are used. */
  #ahead: CommittedNonces | undefined;

  /** @param stock how many commitments to hold, where not the standard */
  constructor(s: ClientSurroundings, lane: Lane, stock: Partial<CommitmentPoolSettings> = {}) {
    this.#s = s;
    this.#lane = lane;
    this.#pool = new CommitmentPool(s.group, laneEpochOf(lane), stock);
  }

  /** The epoch whose commitments are held. */
  get lane(): Lane {
    return this.#lane;
  }

  /** Whether commitments are at hand, for {@link sign}. */
  get stocked(): boolean {
    return this.held > 0;
  }

  /** How many presigns it would take to be full again; 0 while there are enough. */
  get wanted(): number {
    return this.#pool.wanted(this.#s.now());
  }

  /** How many commitments are at hand. */
  get held(): number {
    return this.#pool.held(this.#s.now());
  }

  /**
   * Spends one presign on one message.
   * @param wanted how many presigns the answer may bring for later; {@link takeIn} checks them
   * @throws YaoError `not_ready` when not {@link stocked}
   */
  *sign(message: Uint8Array, parts: SignParts = {}, wanted = 0): Program<SignAnswer> {
    const { group, random } = this.#s;
    const { share, publicKey } = this.#lane;
    const workerCommitments = this.#pool.take(this.#s.now());
    if (!workerCommitments) throw new YaoError('not_ready', 'no commitments are at hand; fetch some first', { party: 'client' });
    const nonces = this.#takeAhead();
    const part = clientSign({ group, share, groupPublicKey: publicKey, workerCommitments, message, random, nonces });
    const expiresAtMs = this.#s.now() + SIGN_LIFE_MS;
    const request = SignRequest.toJson({ ...this.#named(message, parts), ...part, wanted, expiresAtMs });
    const answer = SignAnswer.fromJson(yield* this.#ask(request));
    return { ...answer, signature: acceptSignature(group, this.#fixedPublicKey(), message, answer.signature) };
  }

  /** Signs without a presign: the SigningWorker answers the client's commitments with its own, and with its share. */
  *signWithoutPresign(message: Uint8Array, parts: SignParts = {}): Program<Answered> {
    const { group, random } = this.#s;
    const { share, laneSeed } = this.#lane;
    const { arrivals, latest } = this.#pool;
    const nonces = this.#takeAhead() ?? drawNonces(group, share, random);
    const [hiding, binding] = [nonces.commitments.hiding.encoded, nonces.commitments.binding.encoded];
    try {
      const asked = { hiding, binding, held: latest ?? null, issuedAtMs: this.#s.now() };
      const statement = { ...this.#named(message, parts), ...asked };
      const signature = yield* signWith(laneSeed, SignatureShareStatement.encode(statement));
      const request = SignatureShareRequest.toJson({ statement, signature });
      const given = SignatureShareAnswer.fromJson(yield* ask('/router-ab/ed25519/sign/share', request));
      if (!given.held) this.#pool.forgetBefore(arrivals);
      const groupPublicKey = this.#fixedPublicKey();
      const completed = completeSignature({ group, share, groupPublicKey, message, nonces, given });
      return { signature: completed, usesLeft: given.usesLeft };
    } finally {
      wipeNonces(nonces.nonces);
    }
  }

  #named(message: Uint8Array, { preimage, session }: SignParts) {
    return { lane: laneEpochOf(this.#lane), message, preimage: preimage ?? null, session: session ?? null };
  }

  #takeAhead(): CommittedNonces | undefined {
    const nonces = this.#ahead;
    this.#ahead = undefined;
    return nonces;
  }

  *#ask(request: Json): Program<unknown> {
    const { arrivals } = this.#pool;
    try {
      return yield* ask('/router-ab/ed25519/sign', request);
    } catch (error) {
      if (isSpent(error)) this.#pool.forgetBefore(arrivals);
      throw error;
    }
  }

  /** Ends this signer: what it holds of the lane's secrets, and the nonces that were drawn ahead, are wiped. */
  drop(): void {
    const nonces = this.#takeAhead();
    if (nonces) wipeNonces(nonces.nonces);
    wipeLane(this.#lane);
  }

  /** Does ahead what takes its time and knows no message, for when nobody is waiting: the own nonces above all. */
  prepareAhead(): void {
    if (this.#lane.share.wiped) return;
    this.#fixedPublicKey();
    this.#ahead ??= drawNonces(this.#s.group, this.#lane.share, this.#s.random);
  }

  #fixedPublicKey(): Point {
    const { group } = this.#s;
    this.#publicKey ??= group.fix(group.decodePoint(this.#lane.publicKey));
    return this.#publicKey;
  }

  /** Asks for presigns by a request of its own, for as many as one answer brings. @returns what {@link takeIn} takes */
  *fetch(wanted: number): Program<readonly Presign[]> {
    const count = Math.min(wanted, LIMITS.presignsPerPrepare);
    const statement = { lane: laneEpochOf(this.#lane), count, issuedAtMs: this.#s.now(), nonce: this.#s.random(32) };
    const signature = yield* signWith(this.#lane.laneSeed, PrepareStatement.encode(statement));
    const answer = yield* ask('/router-ab/ed25519/sign/prepare', PrepareRequest.toJson({ statement, signature }));
    return PrepareAnswer.fromJson(answer).presigns;
  }

  /** Checks a presign and puts it into the stock. @throws YaoError `commitment_mismatch`, `invalid_point` */
  takeIn(presign: Presign): void {
    this.#pool.takeIn(presign, this.#s.now());
  }

  /** @throws YaoError `not_ready` when there is still no presign that can be used */
  requireStock(): void {
    if (this.stocked) return;
    throw new YaoError('not_ready', 'the SigningWorker gave no presign that can be used; check the clock and try again', {
      party: 'signing-worker',
    });
  }
}

/** Whether the SigningWorker knows a presign no more: it was used, or lost with an object's memory. */
export const isSpent = (error: unknown): boolean => error instanceof YaoError && error.code === 'presign_spent';

/** Names the epoch of a lane, as signing requests do. */
export function laneEpochOf({ walletId, keyIndex, lane, epoch }: LaneFacts) {
  return { walletId, keyIndex, lane, epoch };
}
