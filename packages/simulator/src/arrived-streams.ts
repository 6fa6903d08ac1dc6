import { STANDARD_SETTINGS, YaoError } from '@streaming-yao/core';
import type { ChannelEnd } from './channel.ts';
import type { Clock } from './clock.ts';
import type { Outcome, Wait } from './strand.ts';

/** Brings together the streams that Deriver A opens and the ceremonies at Deriver B that wait for them. */
export class ArrivedStreams {
  readonly #clock: Clock;
  readonly #arrived = new Map<string, ChannelEnd>();
  readonly #expected = new Map<string, Wait>();
  readonly #rejected = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  clear(): void {
    this.#arrived.clear();
    this.#expected.clear();
    this.#rejected.clear();
  }

  /** @throws YaoError `peer_failed` for a stream that the evaluator does not want any more */
  admit(ceremonyId: string): void {
    if (this.#rejected.has(ceremonyId)) throw rejected(ceremonyId);
  }

  /** Hands the stream to the ceremony that waits for it, or keeps it for the length of a ceremony. The latest one counts. */
  arrive(ceremonyId: string, channel: ChannelEnd): void {
    const expected = this.#expected.get(ceremonyId);
    this.#expected.delete(ceremonyId);
    if (expected?.settle({ value: channel })) return;
    this.#arrived.get(ceremonyId)?.close();
    this.#arrived.set(ceremonyId, channel);
    this.#clock.at(this.#clock.nowMs + STANDARD_SETTINGS.ceremonyDeadlineMs, () => {
      if (this.#arrived.get(ceremonyId) !== channel) return;
      this.#arrived.delete(ceremonyId);
      channel.close();
    });
  }

  /** The stream, now or through `wait`. */
  accept(ceremonyId: string, again: boolean, wait: () => Wait): Outcome | undefined {
    if (again && this.#rejected.has(ceremonyId)) return { error: rejected(ceremonyId) };
    this.#rejected.delete(ceremonyId);
    const channel = this.#arrived.get(ceremonyId);
    this.#arrived.delete(ceremonyId);
    if (channel && !channel.closed) return { value: channel };
    const other = this.#expected.get(ceremonyId);
    if (other && !other.settled) return { error: new YaoError('ceremony_burned', 'this ceremony runs already', { ceremonyId }) };
    this.#expected.set(ceremonyId, wait());
    return undefined;
  }

  /** Ends the wait for this stream, closes it if it has come, and refuses it if it comes later. */
  reject(ceremonyId: string): void {
    const expected = this.#expected.get(ceremonyId);
    this.#expected.delete(ceremonyId);
    this.#arrived.get(ceremonyId)?.close();
    this.#arrived.delete(ceremonyId);
    expected?.settle({ error: rejected(ceremonyId) });
    this.#rejected.add(ceremonyId);
    this.#clock.at(this.#clock.nowMs + STANDARD_SETTINGS.ceremonyDeadlineMs, () => this.#rejected.delete(ceremonyId));
  }
}

function rejected(ceremonyId: string): YaoError {
  return new YaoError('peer_failed', 'nobody will open the stream of this ceremony', { party: 'deriver-a', ceremonyId });
}
