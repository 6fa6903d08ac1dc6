import type { Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import type { Outcome } from '../strand.ts';
import type { World } from '../world.ts';
import type { Wallet } from './wallet.ts';

/** One program on one device. */
export interface Step {
  readonly on: Wallet;
  readonly name: string;
  program(s: ClientSurroundings): Program<unknown>;
}

/** What a user does: some steps at once, or a pause in milliseconds; then the steps' outcomes. */
export type Script = Generator<readonly Step[] | number, void, readonly Outcome[]>;

/** The device died over a step. */
export const CRASHED: Outcome = { error: new Error('the device crashed') };

/** Plays users' scripts; a crash of a device ends its steps, never a script. */
export class Stage {
  readonly #world: World;
  #playing = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether a script is not at its end. */
  get busy(): boolean {
    return this.#playing > 0;
  }

  play(script: Script): void {
    this.#playing++;
    this.#go(script, []);
  }

  #go(script: Script, outcomes: readonly Outcome[]): void {
    const step = script.next(outcomes);
    if (step.done) this.#playing--;
    else if (typeof step.value === 'number') this.#world.schedule.after(step.value, () => this.#go(script, []));
    else this.#start(step.value, (ended) => this.#go(script, ended));
  }

  #start(steps: readonly Step[], then: (outcomes: readonly Outcome[]) => void): void {
    const outcomes: Outcome[] = new Array(steps.length);
    let running = steps.length;
    const { schedule } = this.#world;
    steps.forEach((step, place) => {
      const { actor, surroundings } = this.#world.client(step.on.device);
      let ended = false;
      const end = (outcome: Outcome): void => {
        if (ended) return;
        ended = true;
        outcomes[place] = outcome;
        running--;
        if (running === 0) schedule.ready({ happen: () => then(outcomes) });
      };
      const forget = actor.onCrash(() => end(CRASHED));
      this.#world.start(actor, step.name, step.program(surroundings)).whenEnded((outcome) => {
        forget();
        end(outcome);
      });
    });
  }
}
