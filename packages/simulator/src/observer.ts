import type { Effect } from '@streaming-yao/ceremony/program';
import type { Actor, ActorRole } from './actor.ts';
import type { ChannelEnd } from './channel.ts';
import type { Changes } from './store.ts';
import type { Outcome, Task } from './strand.ts';
import type { World } from './world.ts';

/** How bytes came before a role's eyes. */
export type Sight = 'received' | 'sent' | 'stored' | 'opened' | 'logged';

/** One request of one role to another, as the callee saw it and answered it. */
export interface Exchange {
  readonly caller: ActorRole;
  readonly role: ActorRole;
  readonly path: string;
  readonly request: unknown;
  /** The JSON answer; absent where the callee answered with an error. */
  readonly answer: unknown;
}

/** What watches a world. A violated invariant is thrown as a {@link Violation}. */
export interface Observer {
  saw?(role: ActorRole, sight: Sight, bytes: Uint8Array): void;
  frameLeft?(from: ChannelEnd, frame: Uint8Array): void;
  frameArrived?(to: ChannelEnd, frame: Uint8Array): void;
  committed?(actor: Actor, changes: Changes): void;
  exchanged?(exchange: Exchange): void;
  performing?(actor: Actor, effect: Effect): void;
  performed?(actor: Actor, effect: Effect, outcome: Outcome): void;
  taskStarted?(task: Task): void;
  taskEnded?(task: Task, outcome: Outcome): void;
  stepped?(world: World): void;
  /** When all scripts have been played and nothing fails any more; in the observers' order. */
  finished?(world: World): void | Promise<void>;
}

/** An invariant that does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}
