import { type Beginning, freshBeginning, mathematics, pairedBeginning, registeredBeginning } from './beginning.ts';
import { CeremoniesEnd } from './invariants/deadlines.ts';
import { RecordsEnd } from './invariants/deletion.ts';
import { OneEpochSigns } from './invariants/epochs.ts';
import { ErrorsAreTyped } from './invariants/errors.ts';
import { NoncesUsedOnce } from './invariants/nonces.ts';
import { resumeAll, UsersGetThere } from './invariants/progress.ts';
import { ReceiptsAgree } from './invariants/receipts.ts';
import { SecretsStayHome } from './invariants/secrets.ts';
import { TicketsUsedOnce } from './invariants/tickets.ts';
import { type Observer, Violation } from './observer.ts';
import { SeededFaults } from './seeded-faults.ts';
import { Tape } from './tape.ts';
import { life, type User } from './workload/errands.ts';
import { Stage } from './workload/script.ts';
import { World, type WorldOptions } from './world.ts';

export interface SimulateOptions extends Pick<WorldOptions, 'amend' | 'handlers' | 'trace'> {
  readonly seed: number;
}

export interface Simulated {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly faults: readonly string[];
  readonly steps: number;
  /** How long the part lasted in which things went wrong. */
  readonly virtualMs: number;
}

/** Shares of the runs that begin with a registered key, with paired Derivers, with nothing. */
async function beginningOf(tape: Tape): Promise<Beginning> {
  const lot = tape.below(50);
  if (lot === 0) return freshBeginning(tape.name);
  return lot < 8 ? pairedBeginning() : registeredBeginning();
}

/** Watches for every invariant; those that ask at the end come in this order. */
function invariants({ deployment }: Beginning, user: User): readonly Observer[] {
  const devices = [user.phone, user.tablet];
  return [
    new ErrorsAreTyped(),
    new TicketsUsedOnce(),
    new NoncesUsedOnce(),
    new ReceiptsAgree(),
    new CeremoniesEnd(),
    new OneEpochSigns(devices),
    new UsersGetThere([user]),
    new SecretsStayHome(deployment, [user.phone]),
    new RecordsEnd(devices),
  ];
}

/** One run: a user's errands in a world where things go wrong, then a quiet time in which everything has to come right. */
export async function simulate({ seed, ...options }: SimulateOptions): Promise<Simulated> {
  const tape = new Tape(`seed ${seed}`);
  const beginning = await beginningOf(tape);
  const phone = beginning.wallet;
  const tablet = { ...phone, device: phone.device.sibling('tablet') };
  const user: User = { phone, tablet, tape: tape.fork('user') };
  const observers = invariants(beginning, user);
  const world = new World({ ...beginning, ...mathematics(), ...options, tape, observers });
  const quiet = world.faults;
  const faults = new SeededFaults(tape.fork('faults'), (what) => world.trace('the world', what));
  let violation: Violation | undefined;
  let virtualMs = 0;
  try {
    world.faults = faults;
    const stage = new Stage(world);
    stage.play(life(user, 1 + tape.below(5)));
    while (stage.busy && (await world.step()));
    if (stage.busy) throw new Violation('progress', 'a device waits for something that never comes');
    world.faults = quiet;
    virtualMs = world.nowMs - beginning.nowMs;
    await resumeAll(world, [user]);
    for (const observer of observers) await observer.finished?.(world);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return { seed, violation, faults: [...faults.kinds], steps: world.schedule.steps, virtualMs };
}
