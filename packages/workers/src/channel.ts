import { setImmediate } from 'node:timers';
import type { Channel } from '@streaming-yao/ceremony/program';
import { LIMITS, type Party, YaoError } from '@streaming-yao/core';
import type { Socket } from './platform.ts';

/** Status codes of RFC 6455 section 7.4.1. */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
const POLICY = 1008;
const TOO_BIG = 1009;

interface Waiter {
  readonly take: (frame: Uint8Array) => void;
  readonly fail: (error: YaoError) => void;
}

/** The frame stream to the peer Deriver over a WebSocket: one message is one frame. */
export class SocketChannel implements Channel {
  declare readonly channel: Channel['channel'];
  readonly #socket: Socket;
  readonly #peer: Party;
  readonly #frames: Uint8Array[] = [];
  #waiter: Waiter | undefined;
  #ending: YaoError | undefined;
  #unsent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the timer is set to. */
  #watchedMs: number | undefined;

  /**
   * Accepts `socket` and begins to collect frames, at most `LIMITS.inboundFrames` that nobody has asked for.
   * @param first what came with the request for the stream
   */
  constructor(socket: Socket, peer: Party, first: readonly Uint8Array[] = []) {
    this.#socket = socket;
    this.#peer = peer;
    this.#frames.push(...first);
    // Since 2026 binary messages are Blobs unless asked otherwise.
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', (event: MessageEvent) => this.#arrived(event.data));
    socket.addEventListener('close', () => this.#end('peer_failed', 'closed the stream', NORMAL));
    socket.addEventListener('error', () => this.#end('peer_failed', 'broke the stream', NORMAL));
    socket.accept();
  }

  get closed(): boolean {
    return this.#ending !== undefined;
  }

  send(frame: Uint8Array): void {
    if (this.#ending) throw this.#ending;
    if (frame.length > LIMITS.frameBytes) throw new YaoError('internal', `a frame of ${frame.length} bytes exceeds the limit`);
    this.#socket.send(frame as BufferSource);
    this.#unsent = true;
  }

  /** @throws YaoError `deadline_exceeded`, `peer_failed`, `frame_invalid` */
  async receive(deadlineMs: number): Promise<Uint8Array> {
    // A frame that has arrived is no reason to keep ours: the peer may be waiting for them.
    if (this.#unsent) await this.#flush();
    const frame = this.#frames.shift();
    if (frame) return frame;
    if (this.#ending) throw this.#ending;
    this.#watch(deadlineMs);
    return new Promise((resolve, reject) => {
      this.#waiter = {
        take: (arrived) => {
          this.#waiter = undefined;
          resolve(arrived);
        },
        fail: (error) => {
          this.#waiter = undefined;
          reject(error);
        },
      };
    });
  }

  /** All frames of a ceremony have one deadline, so that one timer does for many waits. */
  #watch(deadlineMs: number): void {
    const remainingMs = deadlineMs - Date.now();
    if (this.#watchedMs === deadlineMs && remainingMs > 0) return;
    clearTimeout(this.#timer);
    this.#watchedMs = deadlineMs;
    this.#timer = setTimeout(
      () => this.#waiter?.fail(new YaoError('deadline_exceeded', `${this.#peer} sent nothing in time`, { party: this.#peer })),
      Math.max(0, remainingMs),
    );
  }

  async turn(): Promise<Uint8Array | undefined> {
    await this.#flush();
    return this.#frames.shift();
  }

  close(): void {
    this.#end('peer_failed', 'was told that the stream is over', NORMAL);
  }

  /** A Workers WebSocket sends nothing until the event loop turns; a microtask or a digest does not count. */
  #flush(): Promise<void> {
    this.#unsent = false;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  #arrived(data: unknown): void {
    if (this.#ending) return;
    if (!(data instanceof ArrayBuffer)) this.#end('frame_invalid', 'sent text where frames are bytes', UNSUPPORTED_DATA);
    else if (data.byteLength > LIMITS.frameBytes) this.#end('frame_invalid', 'sent a frame over the limit', TOO_BIG);
    else if (this.#waiter) this.#waiter.take(new Uint8Array(data));
    else if (this.#frames.length === LIMITS.inboundFrames) this.#end('frame_invalid', 'sent frames without credit', POLICY);
    else this.#frames.push(new Uint8Array(data));
  }

  /** The first reason stays. A close is answered with a close, or the platform takes the other end for hung. */
  #end(code: 'peer_failed' | 'frame_invalid', what: string, status: number): void {
    if (this.#ending) return;
    clearTimeout(this.#timer);
    this.#ending = new YaoError(code, `${this.#peer} ${what}`, { party: this.#peer });
    if (code === 'frame_invalid') this.#frames.length = 0;
    try {
      this.#socket.close(status);
    } catch {
      // Closed already from the other side.
    }
    this.#waiter?.fail(this.#ending);
  }
}
