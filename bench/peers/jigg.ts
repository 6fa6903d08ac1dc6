import type { Contestant } from './contestant.ts';
import { loadPeer } from './install.ts';
import { bitsOf } from './work.ts';

type Listener = (message: unknown) => void;
type Role = 'Garbler' | 'Evaluator';

/** The part of JIGG's public API that is used here. */
interface Jigg {
  readonly Client: new (
    role: Role,
    host: string,
    options: { readonly __Socket: new () => JiggSocket },
  ) => {
    loadCircuit(text: string): void;
    setInput(bits: readonly number[]): void;
    getOutput(): Promise<number[]>;
    start(): void;
  };
}

/** What JIGG asks of a socket. */
interface JiggSocket {
  join(role: Role): void;
  hear(tag: string, id?: number): Promise<unknown>;
  on(tag: string, callback: Listener): void;
  send(tag: string, message: unknown, id?: number): void;
  nextId(): number;
  disconnect(): void;
}

/** One byte a character: what is counted is less than a socket would carry, never more. */
const sizeOf = (message: unknown): number => (typeof message === 'string' ? message : JSON.stringify(message)).length;

/** Two ends in this process; each message is delivered as a copy, in a later turn of the event loop. */
class Room {
  bytes = 0;
  readonly #ends: End[] = [];

  enter(end: End): void {
    this.#ends.push(end);
    if (this.#ends.length === 2) for (const each of this.#ends) each.receive('go0', 'go');
  }

  deliver(from: End, tag: string, message: unknown): void {
    this.bytes += sizeOf(message);
    const copy = structuredClone(message);
    setImmediate(() => this.#ends.find((end) => end !== from)?.receive(tag, copy));
  }
}

class End implements JiggSocket {
  readonly #room: Room;
  readonly #mailbox = new Map<string, unknown>();
  readonly #listeners = new Map<string, Listener>();
  #ids = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  join(): void {
    this.#room.enter(this);
  }

  hear(tag: string, id = this.nextId()): Promise<unknown> {
    return new Promise((resolve) => this.on(`${tag}${id}`, resolve));
  }

  on(tag: string, callback: Listener): void {
    if (this.#mailbox.has(tag)) callback(this.#mailbox.get(tag));
    else this.#listeners.set(tag, callback);
    this.#mailbox.delete(tag);
  }

  receive(tag: string, message: unknown): void {
    const listener = this.#listeners.get(tag);
    this.#listeners.delete(tag);
    if (listener) listener(message);
    else this.#mailbox.set(tag, message);
  }

  send(tag: string, message: unknown, id = this.nextId()): void {
    this.#room.deliver(this, `${tag}${id}`, message);
  }

  nextId(): number {
    return this.#ids++;
  }

  disconnect(): void {
    this.#mailbox.clear();
  }
}

/** JIGG: semi-honest, four rows an AND gate, oblivious transfers one by one. */
export const jigg: Contestant = {
  async prepare({ ofBoth }) {
    const { Client } = loadPeer('jigg') as Jigg;
    const text = await ofBoth();
    return (a, b) => {
      const room = new Room();
      class Socket extends End {
        constructor() {
          super(room);
        }
      }
      const agents = (['Garbler', 'Evaluator'] as const).map((role) => new Client(role, '', { __Socket: Socket }));
      agents.forEach((agent, i) => {
        agent.loadCircuit(text);
        agent.setInput(bitsOf(i === 0 ? a : b));
      });
      const outputs = agents.map((agent) => agent.getOutput());
      return async () => {
        for (const agent of agents) agent.start();
        return { results: await Promise.all(outputs), bytes: room.bytes };
      };
    };
  },
};
