import type { Role } from '@streaming-yao/wire';
import type { ArrivedStreams } from './arrived-streams.ts';
import type { MemoryStore } from './store.ts';
import type { Task } from './strand.ts';
import type { Tape } from './tape.ts';

/** Who acts: a role, or a user's device. */
export type ActorRole = Role | 'client';

export interface ActorParts {
  readonly role: ActorRole;
  /** The role, then the object's or the device's name. */
  readonly name: string;
  /** Absent for what runs outside of the role's objects. */
  readonly store: MemoryStore | undefined;
  readonly tape: Tape;
  readonly streams: ArrivedStreams;
}

/** One object of a role, or one device: what a crash ends, and what it leaves. */
export class Actor {
  readonly role: ActorRole;
  readonly name: string;
  readonly store: MemoryStore | undefined;
  /** Lost with a crash or an eviction; never stored. */
  readonly memory = new Map<string, unknown>();
  readonly streams: ArrivedStreams;
  readonly tasks = new Set<Task>();
  /** Runs that further requests with the same key join. */
  readonly joined = new Map<string, Task>();
  readonly #tape: Tape;
  readonly #endings = new Set<() => void>();
  #crashes = 0;
  #incarnation = 0;
  #random: Tape;

  constructor({ role, name, store, tape, streams }: ActorParts) {
    this.role = role;
    this.name = name;
    this.store = store;
    this.#tape = tape;
    this.#random = tape.fork('0');
    this.streams = streams;
  }

  readonly random = (length: number): Uint8Array => this.#random.bytes(length);

  /** @param ending runs when a crash ends what the caller has under way @returns what takes it back */
  onCrash(ending: () => void): () => void {
    this.#endings.add(ending);
    return () => this.#endings.delete(ending);
  }

  /** How often this has died. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Ends every program and forgets everything but the committed records. */
  crash(): void {
    this.#crashes++;
    for (const task of this.tasks) task.kill();
    this.tasks.clear();
    this.joined.clear();
    this.#forget();
    this.streams.clear();
    for (const ending of [...this.#endings]) ending();
    this.#endings.clear();
  }

  /** An idle object loses its memory. @returns whether it was idle */
  evict(): boolean {
    if (this.tasks.size > 0) return false;
    this.#forget();
    return true;
  }

  #forget(): void {
    this.memory.clear();
    this.#incarnation++;
    this.#random = this.#tape.fork(String(this.#incarnation));
  }
}
