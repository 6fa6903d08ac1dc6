import type { Lane } from '@streaming-yao/ceremony/client';
import { type Observer, Violation } from '../observer.ts';
import type { Outcome } from '../strand.ts';
import { freshMessage, steps, succeeded, type User } from '../workload/errands.ts';
import { recallLane } from '../workload/records.ts';
import { type Script, Stage, type Step } from '../workload/script.ts';
import type { Wallet } from '../workload/wallet.ts';
import type { World } from '../world.ts';

const TRIES = 15;
const PAUSE_MS = 60_000;

/** Plays users' scripts in a world where nothing fails any more. */
async function play(world: World, scripts: readonly Script[]): Promise<void> {
  const stage = new Stage(world);
  for (const script of scripts) {
    stage.play(script);
    while (stage.busy && (await world.step()));
  }
  if (stage.busy) throw new Violation('progress', 'a device waits for something that never comes');
}

/** All devices end what was interrupted: what they cannot end by now, they never can. */
export function resumeAll(world: World, users: readonly User[]): Promise<void> {
  const devices = users.flatMap(({ phone, tablet }) => [phone, tablet]);
  return play(world, devices.map(resumed));
}

function* resumed(device: Wallet): Script {
  for (let tried = 0; tried < TRIES; tried++) {
    const [outcome] = yield [steps.resume(device)];
    if (succeeded(outcome)) return;
    yield PAUSE_MS;
  }
  throw new Violation('progress', `${device.device.name} cannot resume`);
}

/** When faults end, every user gets at a key that signs: no wallet is lost, and nothing stays stuck. */
export class UsersGetThere implements Observer {
  readonly #users: readonly User[];

  constructor(users: readonly User[]) {
    this.#users = users;
  }

  finished(world: World): Promise<void> {
    return play(world, this.#users.map(settle));
  }
}

function* settle(user: User): Script {
  const [own] = yield [{ on: user.phone, name: 'look', program: () => recallLane(user.phone.walletId) }];
  const lane = own && 'value' in own ? (own.value as Lane | undefined) : undefined;
  const [signed] = lane ? yield [steps.sign(user.phone, freshMessage(user))] : [];
  if (!succeeded(signed)) yield* until(steps.register(user.phone), steps.recover(user.phone));
  const later = [steps.export, steps.refresh, steps.changeCredentials][user.tape.below(4)];
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
