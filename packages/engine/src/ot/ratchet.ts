import type { Reader, Writer } from '@streaming-yao/core';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import { blake3Block } from '../garble/blake3.ts';
import { BASE_KEY_BYTES } from './base.ts';
import { expandKey } from './derivation.ts';
import { SEED_BYTES, type TicketKeys } from './ticket.ts';
import { asWords } from './words.ts';

/** Tickets before the next expected counter that stay usable when skipped, and from it on that may be taken at once. */
export const TICKET_WINDOW = 16;

const SECRET_BYTES = 32;

/** Bytes of one ticket inside the ratchet, before they are handed out. */
interface StepKeys {
  readonly secret: Uint8Array;
  readonly seeds: Uint8Array;
}

function handOut(keys: StepKeys): TicketKeys {
  return { secret: SecretBytes.own(keys.secret), seeds: SecretBytes.own(keys.seeds) };
}

function wipeStep(keys: StepKeys): void {
  keys.secret.fill(0);
  keys.seeds.fill(0);
}

/**
 * Keys of a pairing that advance one way with every ticket. What a spent ticket was made from is overwritten; tickets that were
 * skipped keep their own derived keys inside the window, so they open nothing but themselves.
 */
export class Ratchet {
  readonly #secret: Uint8Array;
  readonly #baseKeys: Uint8Array;
  readonly #skipped = new Map<number, StepKeys>();
  #next: number;

  /** Takes over `secret` (32 bytes) and `baseKeys` (32 bytes each). */
  constructor(secret: Uint8Array, baseKeys: Uint8Array, next = 0) {
    this.#secret = secret;
    this.#baseKeys = baseKeys;
    this.#next = next;
  }

  /** The lowest counter never reached. */
  get next(): number {
    return this.#next;
  }

  /** @throws YaoError `ticket_spent` for a counter that was taken, fell out of the window, or lies beyond it */
  take(counter: number): TicketKeys {
    const kept = this.#skipped.get(counter);
    if (kept) {
      this.#skipped.delete(counter);
      return handOut(kept);
    }
    if (!Number.isSafeInteger(counter) || counter < this.#next || counter >= this.#next + TICKET_WINDOW) {
      throw new YaoError('ticket_spent', `ticket ${counter} is spent or outside the window; take one from ${this.#next} on`);
    }
    while (this.#next < counter) this.#skipped.set(this.#next, this.#advance());
    const keys = this.#advance();
    this.#forgetBefore(this.#next - TICKET_WINDOW);
    return handOut(keys);
  }

  #advance(): StepKeys {
    const step = expandKey(this.#secret, 3 * SECRET_BYTES, 'ratchet', this.#next);
    const key = asWords(step.slice(2 * SECRET_BYTES));
    const baseKeys = asWords(this.#baseKeys);
    const seeds = new Uint8Array((this.#baseKeys.length / BASE_KEY_BYTES) * SEED_BYTES);
    const seedWords = asWords(seeds);
    const block = new Uint32Array(16);
    for (let from = 0, to = 0; from < baseKeys.length; from += 8, to += 4) {
      blake3Block(key, baseKeys.subarray(from, from + 8), 0, block);
      baseKeys.set(block.subarray(0, 8), from);
      seedWords.set(block.subarray(8, 12), to);
    }
    key.fill(0);
    block.fill(0);
    this.#secret.set(step.subarray(0, SECRET_BYTES));
    const secret = step.slice(SECRET_BYTES, 2 * SECRET_BYTES);
    step.fill(0);
    this.#next++;
    return { secret, seeds };
  }

  #forgetBefore(oldest: number): void {
    for (const [counter, keys] of this.#skipped) {
      if (counter >= oldest) continue;
      wipeStep(keys);
      this.#skipped.delete(counter);
    }
  }

  write(writer: Writer): void {
    writer.uint(this.#next, 4);
    writer.raw(this.#secret);
    writer.raw(this.#baseKeys);
    writer.uint(this.#skipped.size, 1);
    for (const [counter, keys] of [...this.#skipped].sort(([left], [right]) => left - right)) {
      writer.uint(counter, 4);
      writer.raw(keys.secret);
      writer.raw(keys.seeds);
    }
  }

  /** @throws YaoError `pairing_invalid`, or `invalid_length` from the reader */
  static read(reader: Reader, baseKeys: number): Ratchet {
    const next = reader.uint(4);
    const ratchet = new Ratchet(reader.raw(SECRET_BYTES).slice(), reader.raw(baseKeys * BASE_KEY_BYTES).slice(), next);
    const count = reader.uint(1);
    let after = next - TICKET_WINDOW - 1;
    for (let i = 0; i < count; i++) {
      const counter = reader.uint(4);
      if (counter <= after || counter >= next)
        throw new YaoError('pairing_invalid', 'the stored pairing lists impossible tickets');
      after = counter;
      const secret = reader.raw(SECRET_BYTES).slice();
      ratchet.#skipped.set(counter, { secret, seeds: reader.raw(baseKeys * SEED_BYTES).slice() });
    }
    return ratchet;
  }

  wipe(): void {
    this.#secret.fill(0);
    this.#baseKeys.fill(0);
    for (const keys of this.#skipped.values()) wipeStep(keys);
    this.#skipped.clear();
  }
}
