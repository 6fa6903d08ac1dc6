import { equalBytes, LIMITS, toHex, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import type { LaneEpoch, Presign } from '@streaming-yao/wire';
import type { NonceCommitments } from './frost.ts';
import { decodeCommitments, presignIdOf } from './lane.ts';

/** The SigningWorker's half of one presign, checked. */
export interface WorkerCommitments {
  readonly presignId: Uint8Array;
  readonly commitments: NonceCommitments;
  readonly expiresAtMs: number;
}

interface Held {
  readonly commitments: WorkerCommitments;
  readonly arrival: number;
}

/** How many presigns a client holds, and for how long. */
export interface CommitmentPoolSettings {
  /** Presigns held when the pool is full. */
  readonly fullPresigns: number;
  /** A pool with fewer than this asks for more. */
  readonly lowWaterPresigns: number;
  /** Presigns this close to their expiry are not used: the request has to travel. */
  readonly marginMs: number;
}

const DEFAULTS: CommitmentPoolSettings = { fullPresigns: LIMITS.presignsPerPrepare, lowWaterPresigns: 6, marginMs: 5_000 };

/** The client's stock of the SigningWorker's commitments for one epoch of one lane. Public data, kept in memory. */
export class CommitmentPool {
  readonly #group: Group;
  readonly #lane: LaneEpoch;
  readonly #settings: CommitmentPoolSettings;
  /** In the order of arrival, by hex of the id. */
  readonly #held = new Map<string, Held>();
  /** Expiry of every presign ever taken in, so that none comes back. */
  readonly #seen = new Map<string, number>();
  #arrivals = 0;

  constructor(group: Group, lane: LaneEpoch, settings: Partial<CommitmentPoolSettings> = {}) {
    this.#group = group;
    this.#lane = lane;
    this.#settings = { ...DEFAULTS, ...settings };
  }

  /**
   * Takes in a presign that an answer brought; one that was here before, or has expired, is left out. What exceeds the stock takes
   * the place of the oldest.
   * @throws YaoError `commitment_mismatch` when its id does not belong to its commitments, `invalid_point`
   */
  takeIn(presign: Presign, nowMs: number): void {
    this.#forgetExpired(nowMs);
    this.#forgetSeen(nowMs);
    const commitments = this.#check(presign);
    const key = toHex(presign.presignId);
    const { expiresAtMs } = commitments;
    const usable = expiresAtMs > nowMs && expiresAtMs <= nowMs + LIMITS.presignLifeMs + LIMITS.clockSkewMs;
    if (!usable || this.#seen.has(key)) return;
    if (this.#held.size >= this.#settings.fullPresigns) this.take(nowMs);
    this.#held.set(key, { commitments, arrival: this.#arrivals++ });
    this.#seen.set(key, expiresAtMs);
  }

  #check(presign: Presign): WorkerCommitments {
    const { presignId, expiresAtMs } = presign;
    if (!equalBytes(presignIdOf(this.#lane, presign), presignId)) {
      throw new YaoError('commitment_mismatch', 'a commitment was changed on its way; ask for new presigns', {
        party: 'signing-worker',
      });
    }
    return { presignId, commitments: decodeCommitments(this.#group, presign, 'signing-worker'), expiresAtMs };
  }

  /** One presign, never given out again; `undefined` when none is left. */
  take(nowMs: number): WorkerCommitments | undefined {
    this.#forgetExpired(nowMs);
    for (const [key, { commitments }] of this.#held) {
      this.#held.delete(key);
      return commitments;
    }
    return undefined;
  }

  /** The id of a presign that is held, to ask whether it is still good: the one that came last. */
  get latest(): Uint8Array | undefined {
    return [...this.#held.values()].at(-1)?.commitments.presignId;
  }

  /** How many presigns have been taken in so far, for {@link forgetBefore}. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** How many {@link take} could still give out. */
  held(nowMs: number): number {
    this.#forgetExpired(nowMs);
    return this.#held.size;
  }

  /** How many presigns to ask for: 0 while the stock is above its low-water mark. */
  wanted(nowMs: number): number {
    this.#forgetExpired(nowMs);
    return this.#held.size < this.#settings.lowWaterPresigns ? this.#settings.fullPresigns - this.#held.size : 0;
  }

  /** Forgets what came before: the SigningWorker no longer knew a presign that came then, so its memory went, and all with it. */
  forgetBefore(arrival: number): void {
    for (const [key, held] of this.#held) if (held.arrival < arrival) this.#held.delete(key);
  }

  #forgetExpired(nowMs: number): void {
    const held = nowMs + this.#settings.marginMs;
    for (const [key, { commitments }] of this.#held) if (commitments.expiresAtMs <= held) this.#held.delete(key);
  }

  /** Up to the first that has not expired: many may have been seen, and what came later expires later, or soon after. */
  #forgetSeen(nowMs: number): void {
    for (const [key, expiresAtMs] of this.#seen) {
      if (expiresAtMs > nowMs) return;
      this.#seen.delete(key);
    }
  }
}
