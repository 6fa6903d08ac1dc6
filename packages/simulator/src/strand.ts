import type { Effect, Program } from '@streaming-yao/ceremony/program';
import type { Actor } from './actor.ts';
import { Violation } from './observer.ts';
import type { Schedule } from './schedule.ts';

/** How a program or an effect ended. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A strand's wait for something that may come or not. */
export interface Wait {
  /** Goes on with `outcome`, unless it has gone on already. @returns whether it did */
  settle(outcome: Outcome): boolean;
  readonly settled: boolean;
}

/** Performs one effect: its outcome, or `undefined` when the strand waits for it. */
export type Perform = (strand: Strand, effect: Effect) => Outcome | undefined | Promise<Outcome | undefined>;

/** One program run for one request (or in the background), with all that it does side by side. */
export class Task {
  readonly actor: Actor;
  readonly name: string;
  readonly startedAtMs: number;
  readonly #onEnd: ((outcome: Outcome) => void)[] = [];
  #outcome: Outcome | undefined;
  #dead = false;

  constructor(actor: Actor, name: string, startedAtMs: number) {
    this.actor = actor;
    this.name = name;
    this.startedAtMs = startedAtMs;
  }

  get live(): boolean {
    return !this.#dead && !this.#outcome;
  }

  whenEnded(listener: (outcome: Outcome) => void): void {
    if (this.#outcome) listener(this.#outcome);
    else this.#onEnd.push(listener);
  }

  end(outcome: Outcome): void {
    this.#outcome = outcome;
    for (const listener of this.#onEnd) listener(outcome);
  }

  /** Nothing of it runs any more, not even its `finally`. */
  kill(): void {
    this.#dead = true;
  }
}

export interface StrandParts {
  readonly task: Task;
  readonly schedule: Schedule;
  readonly perform: Perform;
  readonly onEnd: (outcome: Outcome) => void;
}

/** One generator being driven, one effect per step. */
export class Strand {
  readonly task: Task;
  readonly #parts: StrandParts;
  readonly #program: Program<unknown>;
  #effect: Effect | undefined;
  #outcome: Outcome = { value: undefined };

  constructor(program: Program<unknown>, parts: StrandParts) {
    this.task = parts.task;
    this.#parts = parts;
    this.#program = program;
    parts.schedule.ready(this);
  }

  /** A program beside this one in the same task. */
  beside(program: Program<unknown>, onEnd: (outcome: Outcome) => void): void {
    new Strand(program, { ...this.#parts, onEnd });
  }

  async happen(): Promise<void> {
    if (!this.task.live) return;
    const effect = this.#effect;
    this.#effect = undefined;
    const outcome = effect ? await this.#performed(effect) : this.#outcome;
    if (outcome && this.task.live) this.#advance(outcome);
  }

  /** The strand stops until the wait is settled, at the latest at `deadlineMs` of the virtual clock. */
  wait(deadlineMs?: number, late?: () => unknown): Wait {
    const { schedule } = this.#parts;
    let settled = false;
    let cancel: () => void = () => {};
    const settle = (outcome: Outcome): boolean => {
      if (settled) return false;
      settled = true;
      cancel();
      this.#outcome = outcome;
      schedule.ready(this);
      return true;
    };
    if (deadlineMs !== undefined) cancel = schedule.clock.at(deadlineMs, () => settle({ error: late?.() }));
    return {
      settle,
      get settled() {
        return settled;
      },
    };
  }

  /** The strand stops for one turn of the event loop, and goes on with what is there by then. */
  turn(taken: () => Outcome): void {
    this.#parts.schedule.ready({
      happen: () => {
        if (this.task.live) this.#advance(taken());
      },
    });
  }

  async #performed(effect: Effect): Promise<Outcome | undefined> {
    try {
      return await this.#parts.perform(this, effect);
    } catch (error) {
      // What a watcher has found is not the program's to catch.
      if (error instanceof Violation) throw error;
      return { error };
    }
  }

  #advance(outcome: Outcome): void {
    let step: IteratorResult<Effect, unknown>;
    try {
      step = 'error' in outcome ? this.#program.throw(outcome.error) : this.#program.next(outcome.value);
    } catch (error) {
      this.#parts.onEnd({ error });
      return;
    }
    if (step.done) {
      this.#parts.onEnd({ value: step.value });
      return;
    }
    this.#effect = step.value;
    this.#parts.schedule.ready(this);
  }
}
