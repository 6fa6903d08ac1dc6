import { LIMITS } from '@streaming-yao/core';
import { type GarblingSession, TABLE_BYTES } from '@streaming-yao/engine';
import { FRAME_HEADER_BYTES, FRAME_OVERHEAD_BYTES } from '@streaming-yao/wire';
import type { DeriverLink } from './deriver-link.ts';
import { type Program, pause } from './program.ts';

/** Whole gates (32 bytes each) that fit one frame. */
const PAYLOAD_BYTES = LIMITS.frameBytes - FRAME_OVERHEAD_BYTES - ((LIMITS.frameBytes - FRAME_OVERHEAD_BYTES) % 32);

/** A frame not sealed yet: its place in the line is known only when it leaves. */
interface Garbled {
  /** Room for the whole frame, the tables in their place. */
  readonly buffer: Uint8Array;
  readonly payloadBytes: number;
  readonly final: boolean;
}

/** The table frames of one ceremony, garbled one by one. */
export class TableFrames {
  readonly #session: GarblingSession;
  readonly #link: DeriverLink;
  readonly #ahead: Garbled[] = [];
  #remainingBytes: number;

  constructor(session: GarblingSession, link: DeriverLink, circuit: keyof typeof TABLE_BYTES) {
    this.#session = session;
    this.#link = link;
    this.#remainingBytes = TABLE_BYTES[circuit];
  }

  /** Whether all have been sent. */
  get sent(): boolean {
    return this.#remainingBytes === 0 && this.#ahead.length === 0;
  }

  /** Garbles until the stream to B stands, at most as much as B takes without granting more. Nothing of it leaves before. */
  *garbleAhead(): Program<void> {
    while (!this.#link.stands && this.#remainingBytes > 0 && this.#ahead.length < LIMITS.creditFrames) {
      yield* pause();
      this.#ahead.push(this.#garble());
    }
  }

  /**
   * Sends the next frames, as many as a turn takes: garbling them together and then sealing them together keeps the code and data of
   * each in the processor's caches.
   * @param most as many as B has granted
   * @returns how many
   */
  *sendNext(most: number): Program<number> {
    const count = Math.min(most, LIMITS.turnFrames);
    while (this.#ahead.length < count && this.#remainingBytes > 0) this.#ahead.push(this.#garble());
    const frames = this.#ahead.splice(0, count);
    for (const { buffer, payloadBytes, final } of frames)
      yield* this.#link.sendSealed(this.#link.sealTables(buffer, payloadBytes, final));
    return frames.length;
  }

  #garble(): Garbled {
    const payloadBytes = Math.min(this.#remainingBytes, PAYLOAD_BYTES);
    // The socket may hold on to what it was given, so each frame has a buffer of its own.
    const buffer = new Uint8Array(payloadBytes + FRAME_OVERHEAD_BYTES);
    this.#session.nextTables(buffer.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + payloadBytes));
    this.#remainingBytes -= payloadBytes;
    return { buffer, payloadBytes, final: this.#remainingBytes === 0 };
  }
}
