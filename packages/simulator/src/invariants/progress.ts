import type { Lane } from '@streaming-yao/ceremony/client';
import { type Observer, Violation } from '../observer.ts';
import type { Outcome } from '../strand.ts';
import { freshMessage, steps, succeeded, type User } from '../workload/errands.ts';
import { recallLane } from '../workload/records.ts';
import { type Script, Stage, type Step } from '../workload/script.ts';
import type { World } from '../world.ts';

const TRIES = 15;
const PAUSE_MS = 60_000;

/** When faults end, every user gets at a key that signs: no wallet is lost, and nothing stays stuck. */
export class UsersGetThere implements Observer {
  readonly #users: readonly User[];

  constructor(users: readonly User[]) {
    this.#users = users;
  }

  async finished(world: World): Promise<void> {
    const stage = new Stage(world);
    for (const user of this.#users) {
      stage.play(settle(user));
      while (stage.busy && (await world.step()));
    }
    if (stage.busy) throw new Violation('progress', 'a device waits for something that never comes');
  }
}

function* settle(user: User): Script {
  for (const device of [user.phone, user.tablet]) yield* until(steps.resume(device));
  const [own] = yield [{ on: user.phone, name: 'look', program: () => recallLane(user.phone.walletId) }];
  const lane = own && 'value' in own ? (own.value as Lane | undefined) : undefined;
  const [signed] = lane ? yield [steps.sign(user.phone, freshMessage(user))] : [];
  if (!succeeded(signed)) yield* until(steps.register(user.phone), steps.recover(user.phone));
  const later = [steps.export, steps.refresh][user.tape.below(3)];
  if (later) yield* until(later(user.phone));
  yield* until(steps.sign(user.phone, freshMessage(user)));
}

/** Tries the steps in turn until one succeeds. */
function* until(...choices: readonly Step[]): Script {
  let last: Outcome | undefined;
  for (let tried = 0; tried < TRIES; tried++) {
    for (const step of choices) {
      [last] = yield [step];
      if (succeeded(last)) return;
    }
    yield PAUSE_MS;
  }
  const why = last && 'error' in last ? String(last.error) : 'nothing';
  throw new Violation('progress', `${choices.map(({ name }) => name).join(' or ')} does not succeed any more: ${why}`);
}
