import type { Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import type { Actor } from './actor.ts';
import { type Beginning, freshBeginning, mathematics } from './beginning.ts';
import type { Deployment } from './deployment.ts';
import { Tape } from './tape.ts';
import type { Wallet } from './workload/wallet.ts';
import { World, type WorldOptions } from './world.ts';

interface SceneOptions extends Pick<WorldOptions, 'amend' | 'handlers' | 'observers' | 'trace'> {
  /** Otherwise nothing has happened yet. */
  readonly beginning?: Beginning;
}

/** A world with one user, where nothing fails by chance: what most tests need. */
export interface Scene {
  readonly world: World;
  readonly deployment: Deployment;
  readonly wallet: Wallet;
  readonly client: Actor;
  readonly surroundings: ClientSurroundings;
  /** Runs a program of the user's to its end. @throws what the program throws */
  run<T>(name: string, program: Program<T>): Promise<T>;
}

/** @param name the scene's tape: the same name, the same scene */
export function openScene(name: string, { beginning = freshBeginning(name), ...options }: SceneOptions = {}): Scene {
  const { wallet, deployment } = beginning;
  const world = new World({ ...beginning, ...mathematics(), ...options, tape: new Tape(name) });
  const { actor, surroundings } = world.client(wallet.device);
  return {
    world,
    deployment,
    wallet,
    client: actor,
    surroundings,
    run: async (task, program) => {
      const outcome = await world.settle(world.start(actor, task, program));
      if ('error' in outcome) throw outcome.error;
      return outcome.value as never;
    },
  };
}
