import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, LIMITS, SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import { decodeScalar, type Group, invertScalar, type Point } from '@streaming-yao/group';
import type { LaneEpoch, Presign, SignatureShareAnswer, SignatureShareRequest, SignRequest } from '@streaming-yao/wire';
import {
  aggregate,
  commit,
  type NonceCommitments,
  type Nonces,
  type SigningContext,
  signatureShare,
  signingContext,
  verifyAggregate,
  verifySignatureShare,
  wipeNonces,
} from './frost.ts';
import { bothCommitments, CLIENT, decodeCommitments, decodeSignatureShare, presignIdOf, SIGNING_WORKER } from './lane.ts';
import { Remembered } from './remembered.ts';
import { H4 } from './suite.ts';

/** How many presigns a SigningWorker holds, and for how long. */
export interface PresignPoolSettings {
  /** Life of a presign that is not used. */
  readonly lifeMs: number;
  /** Unspent presigns held; when more are asked for, the oldest are burned. */
  readonly unspent: number;
  /** Answers kept for requests that come again. */
  readonly answers: number;
  /** Presigns made ahead of being asked for, at most. */
  readonly ahead: number;
}

const DEFAULTS: PresignPoolSettings = {
  lifeMs: LIMITS.presignLifeMs,
  unspent: 64,
  answers: 64,
  ahead: LIMITS.presignsPerPrepare,
};

/** The epoch of a lane that a pool signs for. */
export interface PresignPoolLane {
  readonly group: Group;
  readonly lane: LaneEpoch;
  /** xs: 32 bytes; copied. */
  readonly share: SecretBytes;
  readonly groupPublicKey: Uint8Array;
  /** Commitment to xc, of the lane's record: 32 bytes. It tells whose share is wrong. */
  readonly clientCommitment: Uint8Array;
  readonly random: (length: number) => Uint8Array;
  readonly settings?: Partial<PresignPoolSettings>;
}

/** What decides about a signature; the rest of a signing request is checked before it comes here. */
export type FinishRequest = Pick<SignRequest, 'presignId' | 'hiding' | 'binding' | 'signatureShare' | 'message'>;

/** What decides about a signature share that is given without a presign. */
export type ShareRequest = Pick<SignatureShareRequest['statement'], 'hiding' | 'binding' | 'message'>;

/** The SigningWorker's part of one signature, under nonces that are gone. */
export type GivenShare = Pick<SignatureShareAnswer, 'hiding' | 'binding' | 'signatureShare'>;

interface Unspent {
  readonly nonces: Nonces;
  readonly commitments: NonceCommitments;
  readonly expiresAtMs: number;
}

interface Answer {
  readonly requestDigest: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * The SigningWorker's nonces for one epoch of one lane, each good for one signature. Everything secret lives in this object
 * only: no restart, eviction or restored backup brings a nonce back.
 */
export class PresignPool {
  readonly #group: Group;
  readonly #lane: LaneEpoch;
  readonly #share: SecretBytes;
  readonly #groupPublicKey: Point;
  readonly #clientCommitment: Uint8Array;
  readonly #random: (length: number) => Uint8Array;
  readonly #settings: PresignPoolSettings;
  /** In the order of making, by hex of the id. */
  readonly #unspent = new Map<string, Unspent>();
  readonly #answers: Remembered<Answer>;
  readonly #givenShares: Remembered<GivenShare>;
  /** Made and not handed out yet; their nonces are among the unspent ones, or burned. */
  readonly #ahead: Presign[] = [];

  /** @throws YaoError `invalid_scalar`, `invalid_point` when the lane's record is malformed */
  constructor({ group, lane, share, groupPublicKey, clientCommitment, random, settings }: PresignPoolLane) {
    this.#group = group;
    this.#lane = lane;
    this.#groupPublicKey = group.fix(group.decodePoint(groupPublicKey));
    this.#clientCommitment = clientCommitment;
    using zero = SecretBytes.own(new Uint8Array(32));
    this.#share = group.subtractScalars(zero, share);
    this.#random = random;
    this.#settings = { ...DEFAULTS, ...settings };
    this.#answers = new Remembered(this.#settings.answers);
    this.#givenShares = new Remembered(this.#settings.answers);
  }

  /** Presigns that could still be used. */
  get size(): number {
    return this.#unspent.size;
  }

  /** Whether this presign is unspent: {@link finish} would spend it. */
  holds(presignId: Uint8Array): boolean {
    return this.#unspent.has(toHex(presignId));
  }

  /**
   * Hands out presigns, those made ahead first; only their public halves leave.
   * @throws YaoError `secret_wiped` after {@link drop}
   */
  prepare(count: number, nowMs: number): readonly Presign[] {
    this.#burnExpired(nowMs);
    const most = Math.min(count, this.#settings.unspent);
    const presigns = Array.from({ length: most }, () => this.#takeAhead(nowMs) ?? this.#make(nowMs));
    this.#burnExcess();
    return presigns;
  }

  /** Hands out presigns that were made ahead, as many as there are, so that an answer has not to wait for their making. */
  prepareAhead(count: number, nowMs: number): readonly Presign[] {
    this.#burnExpired(nowMs);
    const presigns: Presign[] = [];
    for (let next: Presign | undefined; presigns.length < count; presigns.push(next)) {
      next = this.#takeAhead(nowMs);
      if (!next) break;
    }
    return presigns;
  }

  /** Makes one presign for a later {@link prepare}, unless there are enough: for when nobody is waiting. */
  makeAhead(nowMs: number): void {
    if (this.#share.wiped || this.#ahead.length >= this.#settings.ahead) return;
    this.#ahead.push(this.#make(nowMs));
    this.#burnExcess();
  }

  /** What was made ahead and has most of its life before it. */
  #takeAhead(nowMs: number): Presign | undefined {
    for (let presign = this.#ahead.shift(); presign; presign = this.#ahead.shift()) {
      const key = toHex(presign.presignId);
      if (!this.#unspent.has(key)) continue;
      if (presign.expiresAtMs > nowMs + this.#settings.lifeMs / 2) return presign;
      this.#burn(key);
    }
    return undefined;
  }

  #burnExcess(): void {
    for (const key of this.#unspent.keys()) {
      if (this.#unspent.size <= this.#settings.unspent) break;
      this.#burn(key);
    }
  }

  #make(nowMs: number): Presign {
    const { nonces, commitments } = commit(this.#group, this.#share, this.#random);
    const expiresAtMs = nowMs + this.#settings.lifeMs;
    const offered = { hiding: commitments.hiding.encoded, binding: commitments.binding.encoded, expiresAtMs };
    const presignId = presignIdOf(this.#lane, offered);
    this.#unspent.set(toHex(presignId), { nonces, commitments, expiresAtMs });
    return { presignId, ...offered };
  }

  /**
   * Makes and verifies one signature: 64 bytes. Whatever happens, the presign is spent; the same request again gets the same
   * answer while it is remembered, another request under the same presign none.
   * @throws YaoError `presign_spent`, `invalid_point`, `invalid_scalar`, `invalid_signature_share`, laid at whose
   *   share is wrong, and what is malformed at the client
   */
  finish(request: FinishRequest, nowMs: number): Uint8Array {
    const key = toHex(request.presignId);
    const presign = this.#take(key);
    try {
      const messageHash = H4(this.#group, request.message);
      const requestDigest = digestOf(request, messageHash);
      if (!presign || presign.expiresAtMs <= nowMs) return this.#answerAgain(key, requestDigest);
      const signature = this.#sign(presign, request, messageHash);
      this.#answers.keep(key, { requestDigest, signature });
      return signature.slice();
    } finally {
      if (presign) wipeNonces(presign.nonces);
    }
  }

  /**
   * Both rounds at once, for a client whose commitments came with the message: draws nonces, and gives this signer's share under them.
   * The signature is made, and verified, by the client.
   * @param name the request's own, which names no other one: the same request again gets the same answer while it is remembered
   * @throws YaoError `invalid_point`, laid at the client; `secret_wiped` after {@link drop}
   */
  giveShare(name: string, request: ShareRequest): GivenShare {
    const given = this.#givenShares.get(name) ?? this.#drawShare(request);
    this.#givenShares.keep(name, given);
    return given;
  }

  /** Whether {@link giveShare} would only repeat itself. */
  gaveShare(name: string): boolean {
    return this.#givenShares.get(name) !== undefined;
  }

  #drawShare(request: ShareRequest): GivenShare {
    const group = this.#group;
    const ofClient = decodeCommitments(group, request, 'client');
    const { nonces, commitments } = commit(group, this.#share, this.#random);
    try {
      const list = bothCommitments(ofClient, commitments);
      const context = signingContext(group, this.#groupPublicKey.encoded, list, request.message);
      using own = signatureShare(group, context, SIGNING_WORKER, this.#share, nonces);
      const { hiding, binding } = commitments;
      return { hiding: hiding.encoded, binding: binding.encoded, signatureShare: own.use((bytes) => bytes.slice()) };
    } finally {
      wipeNonces(nonces);
    }
  }

  /** Burns every nonce and forgets the share and the answers: the epoch is over, or the lane is revoked. */
  drop(): void {
    for (const key of this.#unspent.keys()) this.#burn(key);
    this.#ahead.length = 0;
    this.#answers.clear();
    this.#givenShares.clear();
    this.#share.wipe();
  }

  #sign(presign: Unspent, request: FinishRequest, messageHash: Uint8Array): Uint8Array {
    const [group, key] = [this.#group, this.#groupPublicKey];
    const commitments = decodeCommitments(group, request, 'client');
    const clientShare = decodeSignatureShare(request.signatureShare, 'client');
    const list = bothCommitments(commitments, presign.commitments);
    const context = signingContext(group, key.encoded, list, request.message, messageHash);
    using own = signatureShare(group, context, SIGNING_WORKER, this.#share, presign.nonces);
    const signature = aggregate(context, [clientShare, own.use(decodeScalar)]);
    if (verifyAggregate(group, context, key, decodeScalar(signature.subarray(32)))) return signature;
    throw this.#culprit(context, clientShare);
  }

  /** Whose share it is that does not add up. RFC 9591 section 5.4; the FROST share of identifier 1 is xc/2. */
  #culprit(context: SigningContext, clientShare: bigint): YaoError {
    const point = this.#group.decodePoint(this.#clientCommitment);
    const verifyingShare = this.#group.combine(0n, [{ factor: invertScalar(2n), point }]);
    if (verifySignatureShare(this.#group, context, CLIENT, verifyingShare, clientShare)) {
      const why = 'the share of the SigningWorker is damaged; nothing was signed, refresh the lane';
      return new YaoError('invalid_signature_share', why, { party: 'signing-worker' });
    }
    const why = 'the client share does not fit its commitments, the message, presign and lane; sign anew';
    return new YaoError('invalid_signature_share', why, { party: 'client' });
  }

  #answerAgain(key: string, requestDigest: Uint8Array): Uint8Array {
    const answer = this.#answers.get(key);
    if (answer && equalBytes(answer.requestDigest, requestDigest)) return answer.signature.slice();
    throw presignSpent();
  }

  /** Removes a presign before anything is decided about it, so that no failure leaves it behind. */
  #take(key: string): Unspent | undefined {
    const presign = this.#unspent.get(key);
    this.#unspent.delete(key);
    return presign;
  }

  #burn(key: string): void {
    const presign = this.#take(key);
    if (presign) wipeNonces(presign.nonces);
  }

  #burnExpired(nowMs: number): void {
    for (const [key, { expiresAtMs }] of this.#unspent) if (expiresAtMs <= nowMs) this.#burn(key);
  }
}

/** Whatever has become of a presign that is not here. */
export const presignSpent = (): YaoError =>
  new YaoError('presign_spent', 'this presign was used, has expired or is unknown; sign again with another one');

function digestOf({ presignId, hiding, binding, signatureShare }: FinishRequest, messageHash: Uint8Array): Uint8Array {
  const state = sha256.create();
  for (const part of [presignId, hiding, binding, signatureShare, messageHash]) state.update(part);
  return state.digest();
}
