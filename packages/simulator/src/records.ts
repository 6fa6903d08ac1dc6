import type { Transaction } from '@streaming-yao/ceremony/program';
import { concatBytes, utf8 } from '@streaming-yao/core';
import type { Actor } from './actor.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Observer } from './observer.ts';
import type { Outcome } from './strand.ts';

export interface RecordsParts {
  readonly clock: Clock;
  readonly faults: () => Faults;
  readonly observers: readonly Observer[];
  /** What the actor's clock shows. */
  readonly clockOf: (actor: Actor) => number;
  readonly crash: (actor: Actor, why: string) => void;
}

/** Commits the transactions of all objects, and deletes records when they are due. */
export class Records {
  readonly #parts: RecordsParts;
  readonly #alarmsMs = new Map<Actor, number>();

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  /** @returns `undefined` when the object died before it heard of the outcome */
  transact(actor: Actor, decide: (transaction: Transaction) => unknown): Outcome | undefined {
    const { store } = actor;
    if (!store) throw new Error(`${actor.name} runs outside of the objects and may not transact`);
    const { result, changes } = store.decide(decide);
    const fate = this.#parts.faults().transaction(actor, changes);
    if (fate !== 'lost-unheard') {
      store.commit(changes);
      for (const observer of this.#parts.observers) {
        observer.committed?.(actor, changes);
        for (const [name, record] of changes)
          if (record) observer.saw?.(actor.role, 'stored', concatBytes(utf8(name), record.value));
      }
      this.setAlarm(actor);
    }
    if (fate === 'kept') return { value: result };
    this.#parts.crash(actor, fate === 'lost-unheard' ? 'a write was lost' : 'a write was kept but not acknowledged');
    return undefined;
  }

  setAlarm(actor: Actor): void {
    const { clock, clockOf } = this.#parts;
    const dueMs = actor.store?.nextDueMs;
    if (dueMs === undefined || dueMs >= (this.#alarmsMs.get(actor) ?? Number.POSITIVE_INFINITY)) return;
    this.#alarmsMs.set(actor, dueMs);
    clock.at(clock.nowMs + dueMs - clockOf(actor), () => {
      this.#alarmsMs.delete(actor);
      actor.store?.deleteDue(clockOf(actor));
      this.setAlarm(actor);
    });
  }
}
