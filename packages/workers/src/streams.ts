import { LIMITS, STANDARD_SETTINGS, YaoError } from '@streaming-yao/core';
import type { SocketChannel } from './channel.ts';

interface Expectation {
  readonly take: (channel: SocketChannel) => void;
  readonly fail: (error: YaoError) => void;
}

interface Arrival {
  readonly channel: SocketChannel;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Brings together the streams that Deriver A opens and the ceremonies at Deriver B that wait for them. */
export class ArrivedStreams {
  readonly #arrived = new Map<string, Arrival>();
  readonly #expected = new Map<string, Expectation>();
  readonly #rejected = new Set<string>();

  /** Refuses before the socket exists, so that the opener sees an error and not a stream that closes at once. */
  admit(ceremonyId: string): void {
    if (this.#rejected.has(ceremonyId)) throw rejected(ceremonyId);
    if (this.#arrived.size < LIMITS.liveCeremonies || this.#arrived.has(ceremonyId)) return;
    throw new YaoError('busy', 'too many streams wait for their ceremony', { ceremonyId });
  }

  /** Hands `channel` to the ceremony that waits for it, or keeps it for the length of a ceremony. The latest one counts. */
  arrive(ceremonyId: string, channel: SocketChannel): void {
    const expectation = this.#expected.get(ceremonyId);
    if (expectation) {
      expectation.take(channel);
      return;
    }
    if (this.#rejected.has(ceremonyId)) {
      channel.close();
      return;
    }
    this.#take(ceremonyId)?.close();
    const timer = setTimeout(() => this.#take(ceremonyId)?.close(), STANDARD_SETTINGS.ceremonyDeadlineMs);
    this.#arrived.set(ceremonyId, { channel, timer });
  }

  #take(ceremonyId: string): SocketChannel | undefined {
    const arrival = this.#arrived.get(ceremonyId);
    clearTimeout(arrival?.timer);
    this.#arrived.delete(ceremonyId);
    return arrival?.channel;
  }

  /** @throws YaoError `deadline_exceeded`; `peer_failed` after {@link reject}; `ceremony_burned` while it waits already */
  accept(ceremonyId: string, again: boolean, deadlineMs: number): Promise<SocketChannel> {
    if (again && this.#rejected.has(ceremonyId)) return Promise.reject(rejected(ceremonyId));
    this.#rejected.delete(ceremonyId);
    const channel = this.#take(ceremonyId);
    if (channel && !channel.closed) return Promise.resolve(channel);
    if (this.#expected.has(ceremonyId)) {
      return Promise.reject(new YaoError('ceremony_burned', 'this ceremony runs already', { ceremonyId }));
    }
    return new Promise((resolve, reject) => {
      const late = new YaoError('deadline_exceeded', 'deriver-a opened no stream in time', { party: 'deriver-a', ceremonyId });
      const timer = setTimeout(() => this.#expected.get(ceremonyId)?.fail(late), Math.max(0, deadlineMs - Date.now()));
      const settled = (): void => {
        clearTimeout(timer);
        this.#expected.delete(ceremonyId);
      };
      this.#expected.set(ceremonyId, {
        take: (arrived) => {
          settled();
          resolve(arrived);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      });
    });
  }

  /** Ends the wait for a ceremony's stream, closes the stream if it has come, and refuses it if it comes later. */
  reject(ceremonyId: string): void {
    this.#expected.get(ceremonyId)?.fail(rejected(ceremonyId));
    this.#take(ceremonyId)?.close();
    this.#rejected.add(ceremonyId);
    setTimeout(() => this.#rejected.delete(ceremonyId), STANDARD_SETTINGS.ceremonyDeadlineMs);
  }
}

function rejected(ceremonyId: string): YaoError {
  return new YaoError('peer_failed', 'the other Deriver refused this ceremony', { ceremonyId });
}
