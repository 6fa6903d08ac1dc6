import { type ErrorCode, YaoError } from '@streaming-yao/core';
import { type Observer, Violation } from '../observer.ts';
import type { Outcome, Task } from '../strand.ts';

/** What only a program's own mistake leads to. */
const FAULTS: readonly ErrorCode[] = ['internal', 'secret_wiped'];

/** Whatever happens, programs end with a typed error that blames something outside: anything else is a fault of theirs. */
export class ErrorsAreTyped implements Observer {
  taskEnded({ actor, name }: Task, outcome: Outcome): void {
    if (!('error' in outcome)) return;
    const { error } = outcome;
    if (error instanceof YaoError && !FAULTS.includes(error.code)) return;
    throw new Violation('errors', `${actor.name} ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
}
