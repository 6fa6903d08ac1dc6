import type { Actor } from './actor.ts';
import type { Changes } from './store.ts';
import type { World } from './world.ts';

/** What becomes of a request or an answer on its way. */
export interface MessageFate {
  /** When it arrives, and again where it is duplicated; none where it is lost. */
  readonly delaysMs: readonly number[];
  readonly bytes: Uint8Array;
  /** The caller is told at once that the connection broke, whatever becomes of the request. */
  readonly broken: boolean;
}

/** What becomes of a frame on its way; without bytes the stream is cut off in its place. */
export interface FrameFate {
  readonly delayMs: number;
  readonly frame: Uint8Array | undefined;
}

/** What happens to a transaction: committed; committed or not, but its program never hears of it. */
export type TransactionFate = 'kept' | 'kept-unheard' | 'lost-unheard';

/** Everything that can go wrong outside of the programs. */
export interface Faults {
  message(bytes: Uint8Array, kind: 'request' | 'answer'): MessageFate;
  frame(frame: Uint8Array): FrameFate;
  transaction(actor: Actor, changes: Changes): TransactionFate;
  /** Before each step: crashes, evictions, clocks. */
  disturb(world: World): void;
}

/** Nothing goes wrong; things take a while. */
export function calm(delayMs: () => number): Faults {
  return {
    message: (bytes) => ({ delaysMs: [delayMs()], bytes, broken: false }),
    frame: (frame) => ({ delayMs: delayMs(), frame }),
    transaction: () => 'kept',
    disturb: () => {},
  };
}
