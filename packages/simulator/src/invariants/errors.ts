import { YaoError } from '@streaming-yao/core';
import { type Observer, Violation } from '../observer.ts';
import type { Outcome, Task } from '../strand.ts';

/** Whatever happens, programs end with a typed error: anything else is a fault of theirs. */
export class ErrorsAreTyped implements Observer {
  taskEnded({ actor, name }: Task, outcome: Outcome): void {
    if (!('error' in outcome) || outcome.error instanceof YaoError) return;
    const { error } = outcome;
    throw new Violation('errors', `${actor.name} ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
}
