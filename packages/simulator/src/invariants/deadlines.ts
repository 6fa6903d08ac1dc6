import { STANDARD_SETTINGS } from '@streaming-yao/core';
import type { Actor } from '../actor.ts';
import { type Observer, Violation } from '../observer.ts';
import { LARGEST_CLOCK_STEP_MS } from '../seeded-faults.ts';
import type { Changes } from '../store.ts';
import type { World } from '../world.ts';

const STATES = ['running', 'completed', 'burned'] as const;
type State = (typeof STATES)[number];

/** A ceremony's record begins with its domain tag, a length before it, and its state after it. */
function stateOf(record: Uint8Array): State {
  const state = STATES[record[1 + (record[0] ?? 0)] ?? -1];
  if (!state) throw new Error('this is no record of a ceremony');
  return state;
}

interface Running {
  readonly actor: Actor;
  readonly sinceMs: number;
  readonly crashes: number;
}

/**
 * Every ceremony that runs at a Deriver is completed or burned in time, and nothing moves back. What a crash leaves running
 * can only be burned or deleted.
 */
export class CeremoniesEnd implements Observer {
  readonly #states = new Map<string, State>();
  readonly #running = new Map<string, Running>();
  #world: World | undefined;

  committed(actor: Actor, changes: Changes): void {
    if (actor.role !== 'deriver-a' && actor.role !== 'deriver-b') return;
    for (const [name, record] of changes) {
      if (!name.startsWith('ceremony\n')) continue;
      const id = `${actor.name} ${name.slice('ceremony\n'.length)}`;
      if (!record) throw new Violation('deadlines', `${id} was deleted before its time`);
      const state = stateOf(record.value);
      const before = this.#states.get(id);
      if (before !== undefined && before !== 'running' && before !== state)
        throw new Violation('deadlines', `${id} went from ${before} back to ${state}`);
      const left = this.#running.get(id);
      if (left && state === 'completed' && left.crashes !== actor.crashes)
        throw new Violation('deadlines', `${id} was completed although a crash had ended its run`);
      this.#states.set(id, state);
      if (state !== 'running') this.#running.delete(id);
      else if (!left) this.#running.set(id, { actor, sinceMs: this.#world?.nowMs ?? 0, crashes: actor.crashes });
    }
  }

  stepped(world: World): void {
    this.#world = world;
    for (const [id, { actor, sinceMs, crashes }] of this.#running) {
      if (actor.crashes !== crashes) continue;
      if (world.nowMs - sinceMs > STANDARD_SETTINGS.ceremonyDeadlineMs + 2 * LARGEST_CLOCK_STEP_MS)
        throw new Violation('deadlines', `${id} still runs after ${world.nowMs - sinceMs} ms`);
    }
  }
}
