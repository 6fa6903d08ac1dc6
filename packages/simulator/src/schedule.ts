import { Clock } from './clock.ts';
import type { Tape } from './tape.ts';

/** Something that can happen now. */
export interface Ready {
  happen(): void | Promise<void>;
}

/** Everything that can happen waits here; the tape decides what happens next, and when nothing can, time jumps on. */
export class Schedule {
  readonly clock: Clock;
  readonly #tape: Tape;
  readonly #ready: Ready[] = [];
  #steps = 0;

  constructor(tape: Tape, nowMs: number) {
    this.#tape = tape;
    this.clock = new Clock(nowMs);
  }

  /** How many things have happened. */
  get steps(): number {
    return this.#steps;
  }

  ready(event: Ready): void {
    this.#ready.push(event);
  }

  /** Something happens after a delay. */
  after(delayMs: number, happen: () => void): void {
    this.clock.at(this.clock.nowMs + delayMs, () => this.ready({ happen }));
  }

  /**
   * Lets one thing happen.
   * @param untilMs the clock does not jump beyond
   * @returns whether anything could
   */
  async step(untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    while (this.#ready.length === 0) {
      const next = this.clock.nextMs;
      if (next === undefined || next > untilMs) return false;
      this.clock.jump();
    }
    const chosen = this.#tape.below(this.#ready.length);
    const last = this.#ready.pop();
    const event = chosen < this.#ready.length ? this.#ready.splice(chosen, 1, last as Ready)[0] : last;
    this.#steps++;
    await event?.happen();
    return true;
  }
}
