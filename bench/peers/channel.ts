import { setImmediate as turn } from 'node:timers/promises';

/** One end of a message channel inside this process. */
export interface End {
  /** Sends a copy, which arrives in a later turn of the event loop. */
  send(message: Uint8Array): void;
  next(): Promise<Uint8Array>;
  /** Lets the other end work. */
  turn(): Promise<unknown>;
}

class Mailbox {
  readonly #arrived: Uint8Array[] = [];
  #waiting: ((message: Uint8Array) => void) | undefined;

  put(message: Uint8Array): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(message);
    else this.#arrived.push(message);
  }

  next(): Promise<Uint8Array> {
    const message = this.#arrived.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}

/** Two ends, and the payload bytes that went either way. */
export function room(): { readonly ends: readonly [End, End]; readonly traffic: { readonly bytes: number } } {
  const traffic = { bytes: 0 };
  const [first, second] = [new Mailbox(), new Mailbox()];
  const end = (own: Mailbox, other: Mailbox): End => ({
    send(message) {
      traffic.bytes += message.length;
      const copy = message.slice();
      setImmediate(() => other.put(copy));
    },
    next: () => own.next(),
    turn: () => turn(),
  });
  return { ends: [end(first, second), end(second, first)], traffic };
}
