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
  readonly #held = new Map<string, WorkerCommitments>();
  /** Expiry of every presign ever taken in, so that none comes back. */
  readonly #seen = new Map<string, number>();

  constructor(group: Group, lane: LaneEpoch, settings: Partial<CommitmentPoolSettings> = {}) {
    this.#group = group;
    this.#lane = lane;
    this.#settings = { ...DEFAULTS, ...settings };
  }

  /**
   * Takes in what an answer brought; presigns that were here before, expired ones and what exceeds the stock are left out.
   * @throws YaoError `commitment_mismatch` when an id does not belong to its commitments, `invalid_point`; nothing is taken then
   */
  refill(presigns: readonly Presign[], nowMs: number): void {
    this.#forgetExpired(nowMs);
    const checked = presigns.map((presign) => ({ ...this.#check(presign), key: toHex(presign.presignId) }));
    for (const { key, ...commitments } of checked) {
      const usable =
        commitments.expiresAtMs > nowMs && commitments.expiresAtMs <= nowMs + LIMITS.presignLifeMs + LIMITS.clockSkewMs;
      if (!usable || this.#seen.has(key) || this.#held.size >= this.#settings.fullPresigns) continue;
      this.#held.set(key, commitments);
      this.#seen.set(key, commitments.expiresAtMs);
    }
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
    for (const [key, commitments] of this.#held) {
      this.#held.delete(key);
      return commitments;
    }
    return undefined;
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

  /** Forgets what is as old as a presign that the SigningWorker no longer knows: with its memory, all of that went. */
  forgetUntil(expiresAtMs: number): void {
    for (const [key, held] of this.#held) if (held.expiresAtMs <= expiresAtMs) this.#held.delete(key);
  }

  /** Forgets the stock: the lane was promoted or revoked. */
  clear(): void {
    this.#held.clear();
  }

  #forgetExpired(nowMs: number): void {
    const held = nowMs + this.#settings.marginMs;
    for (const [key, { expiresAtMs }] of this.#held) if (expiresAtMs <= held) this.#held.delete(key);
    for (const [key, expiresAtMs] of this.#seen) if (expiresAtMs <= nowMs) this.#seen.delete(key);
  }
}
