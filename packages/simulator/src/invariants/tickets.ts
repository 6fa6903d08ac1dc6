import { toHex, YaoError } from '@streaming-yao/core';
import { FRAME_KINDS, Open, payloadOf } from '@streaming-yao/wire';
import type { ChannelEnd } from '../channel.ts';
import { type Observer, Violation } from '../observer.ts';

const kindOf = (frame: Uint8Array): string | undefined => FRAME_KINDS[frame[1] ?? -1];

function ticketIn(frame: Uint8Array): string | undefined {
  try {
    const { pairing, counter } = Open.decode(payloadOf(frame)).ticket;
    return `${toHex(pairing)}/${counter}`;
  } catch (error) {
    if (error instanceof YaoError) return undefined;
    throw error;
  }
}

/**
 * A ticket is used by at most one session at the garbler, and by at most one at the evaluator. A stream that is opened again shows
 * nobody anything new: opening and acceptance are the same bytes.
 */
export class TicketsUsedOnce implements Observer {
  /** The one opening under each ticket. */
  readonly #opened = new Map<string, string>();
  readonly #accepted = new Map<string, string>();
  /** The ticket that each stream's opening named, as the evaluator received it. */
  readonly #named = new WeakMap<ChannelEnd, string>();

  frameLeft(from: ChannelEnd, frame: Uint8Array): void {
    const kind = kindOf(frame);
    if (kind === 'open') this.#use(this.#opened, ticketIn(frame), frame, 'Deriver A opened');
    if (kind === 'accept') this.#use(this.#accepted, this.#named.get(from), frame, 'Deriver B accepted');
  }

  frameArrived(to: ChannelEnd, frame: Uint8Array): void {
    const ticket = kindOf(frame) === 'open' ? ticketIn(frame) : undefined;
    if (ticket && !this.#named.has(to)) this.#named.set(to, ticket);
  }

  #use(used: Map<string, string>, ticket: string | undefined, frame: Uint8Array, who: string): void {
    if (!ticket) throw new Violation('tickets', `${who} a session under no ticket`);
    const text = toHex(frame);
    if ((used.get(ticket) ?? text) !== text) throw new Violation('tickets', `${who} two sessions under ticket ${ticket}`);
    used.set(ticket, text);
  }
}
