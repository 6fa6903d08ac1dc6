import type { Channel } from '@streaming-yao/ceremony/program';
import { LIMITS, YaoError } from '@streaming-yao/core';
import type { Actor } from './actor.ts';
import type { FrameFate } from './faults.ts';
import type { Outcome, Wait } from './strand.ts';

/** What channels need of the world around them. */
export interface Wire {
  after(delayMs: number, happen: () => void): void;
  fateOf(frame: Uint8Array, from: ChannelEnd): FrameFate;
  delivered(frame: Uint8Array, to: ChannelEnd): void;
}

/** One end of a frame stream. Frames keep their order; what was sent leaves at the next turn. */
export class ChannelEnd implements Channel {
  declare readonly channel: Channel['channel'];
  readonly actor: Actor;
  readonly #wire: Wire;
  readonly #inbox: Uint8Array[] = [];
  #unsent: Uint8Array[] = [];
  #line: (Uint8Array | undefined)[] = [];
  #peer: ChannelEnd | undefined;
  #waiting: Wait | undefined;
  #ending: YaoError | undefined;
  #travelling = false;

  private constructor(actor: Actor, wire: Wire) {
    this.actor = actor;
    this.#wire = wire;
    actor.onCrash(() => this.#break());
  }

  /** Both ends of a new stream. */
  static pair(left: Actor, right: Actor, wire: Wire): readonly [ChannelEnd, ChannelEnd] {
    const ends = [new ChannelEnd(left, wire), new ChannelEnd(right, wire)] as const;
    ends[0].#peer = ends[1];
    ends[1].#peer = ends[0];
    return ends;
  }

  get peer(): ChannelEnd {
    if (!this.#peer) throw new Error('a channel has two ends');
    return this.#peer;
  }

  get closed(): boolean {
    return this.#ending !== undefined;
  }

  /** Whether frames wait for a turn. */
  get holding(): boolean {
    return this.#unsent.length > 0;
  }

  /** @throws YaoError when the stream has ended */
  send(frame: Uint8Array): void {
    if (this.#ending) throw this.#ending;
    if (frame.length > LIMITS.frameBytes) throw new RangeError(`a frame of ${frame.length} bytes`);
    this.#unsent.push(frame.slice());
  }

  /** The event loop turns: what was sent leaves. */
  flush(): void {
    const frames = this.#unsent;
    this.#unsent = [];
    for (const frame of frames) this.#leave(frame);
  }

  /** The next frame, if one has arrived. */
  take(): Uint8Array | undefined {
    return this.#inbox.shift();
  }

  /** A frame or the end, now or through `wait`. */
  receive(wait: () => Wait): Outcome | undefined {
    this.flush();
    const frame = this.take();
    if (frame) return { value: frame };
    if (this.#ending) return { error: this.#ending };
    this.#waiting = wait();
    return undefined;
  }

  close(): void {
    if (this.#ending) return;
    this.flush();
    this.#leave(undefined);
    this.#end('peer_failed', 'was told that the stream is over');
  }

  /** Without a farewell: what was not yet on its way is lost. */
  #break(): void {
    if (this.#ending) return;
    this.#unsent = [];
    this.#line = this.#line.slice(0, 1);
    this.#leave(undefined);
    this.#end('peer_failed', 'is gone');
  }

  #leave(frame: Uint8Array | undefined): void {
    this.#line.push(frame);
    if (!this.#travelling) this.#travel();
  }

  #travel(): void {
    if (this.#line.length === 0) return;
    this.#travelling = true;
    const frame = this.#line[0];
    const fate = frame ? this.#wire.fateOf(frame, this) : { frame, delayMs: 1 };
    this.#wire.after(fate.delayMs, () => {
      this.#travelling = false;
      this.#line.shift();
      if (fate.frame) {
        this.peer.#arrived(fate.frame);
      } else {
        this.#line = [];
        this.peer.#end('peer_failed', 'closed the stream');
        this.#end('peer_failed', 'broke the stream');
      }
      this.#travel();
    });
  }

  #arrived(frame: Uint8Array): void {
    if (this.#ending) return;
    this.#wire.delivered(frame, this);
    if (this.#waiting?.settle({ value: frame })) this.#waiting = undefined;
    else if (this.#inbox.length === LIMITS.inboundFrames) this.#end('frame_invalid', 'sent frames without credit');
    else this.#inbox.push(frame);
  }

  /** The first reason stays; frames that have arrived can still be read after an orderly end. */
  #end(code: 'peer_failed' | 'frame_invalid', what: string): void {
    if (this.#ending) return;
    const party = this.actor.role === 'deriver-a' ? 'deriver-b' : 'deriver-a';
    this.#ending = new YaoError(code, `${party} ${what}`, { party });
    if (code === 'frame_invalid') {
      this.#inbox.length = 0;
      this.#leave(undefined);
    }
    this.#waiting?.settle({ error: this.#ending });
    this.#waiting = undefined;
  }
}
