import { type Beginning, freshBeginning, mathematics, pairedBeginning, registeredBeginning } from './beginning.ts';
import { AuthorityOnlyRises } from './invariants/authority.ts';
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
import { type FaultKind, SeededFaults } from './seeded-faults.ts';
import { Tape } from './tape.ts';
import { chooseErrands, life, type User } from './workload/errands.ts';
import { Stage } from './workload/script.ts';
import { World, type WorldOptions } from './world.ts';

export interface SimulateOptions extends Pick<WorldOptions, 'amend' | 'handlers' | 'trace'> {
  readonly seed: number;
  /** Instead of those that the seed chooses. */
  readonly errands?: readonly string[];
  readonly kinds?: readonly FaultKind[];
}

export interface Simulated {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** What the user set out to do. */
  readonly errands: readonly string[];
  /** What went wrong, in its order. */
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

/** Watchers of every invariant, and those of them that ask at the end, in their order. */
function invariants(
  { deployment }: Beginning,
  user: User,
): { readonly all: readonly Observer[]; readonly ends: readonly Observer[] } {
  const devices = [user.phone, user.tablet];
  const [epochs, progress] = [new OneEpochSigns(devices), new UsersGetThere([user])];
  const [secrets, deletion] = [new SecretsStayHome(deployment, [user.phone]), new RecordsEnd(devices)];
  const always = [new ErrorsAreTyped(), new TicketsUsedOnce(), new NoncesUsedOnce(), new ReceiptsAgree()];
  const records = [new CeremoniesEnd(), new AuthorityOnlyRises()];
  return {
    all: [...always, ...records, epochs, progress, secrets, deletion],
    ends: [epochs, secrets, progress, secrets, deletion],
  };
}

/** One run: a user's errands in a world where things go wrong, then a quiet time in which everything has to come right. */
export async function simulate({ seed, errands, kinds, ...options }: SimulateOptions): Promise<Simulated> {
  const tape = new Tape(`seed ${seed}`);
  const beginning = await beginningOf(tape);
  const phone = beginning.wallet;
  const tablet = { ...phone, device: phone.device.sibling('tablet') };
  const user: User = { phone, tablet, tape: tape.fork('user') };
  const { all, ends } = invariants(beginning, user);
  const world = new World({ ...beginning, ...mathematics(), ...options, tape, observers: all });
  const quiet = world.faults;
  const struck: string[] = [];
  const faults = new SeededFaults(tape.fork('faults'), kinds, (kind) => {
    struck.push(kind);
    world.trace('the world', `fault: ${kind}`);
  });
  const chosen = errands ?? chooseErrands(user);
  let violation: Violation | undefined;
  let virtualMs = 0;
  try {
    world.faults = faults;
    const stage = new Stage(world);
    stage.play(life(user, chosen));
    while (stage.busy && (await world.step()));
    if (stage.busy) throw new Violation('progress', 'a device waits for something that never comes');
    world.faults = quiet;
    virtualMs = world.nowMs - beginning.nowMs;
    await resumeAll(world, [user]);
    for (const observer of ends) await observer.finished?.(world);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return { seed, violation, errands: chosen, faults: struck, steps: world.schedule.steps, virtualMs };
}
