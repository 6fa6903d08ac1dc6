import type { Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import type { Actor } from './actor.ts';
import { createDeployment, type Deployment } from './deployment.ts';
import { Device } from './device.ts';
import type { Mathematics } from './surroundings.ts';
import { Tape } from './tape.ts';
import type { Wallet } from './workload/wallet.ts';
import { World, type WorldOptions } from './world.ts';

/** When worlds begin. */
export const BEGINNING_MS = 1_800_000_000_000;

let loaded: Mathematics | undefined;

/** The kernels, loaded once. */
export function mathematics(): Mathematics {
  loaded ??= { engine: loadKernel(), group: loadGroup() };
  return loaded;
}

type SceneOptions = Partial<Pick<WorldOptions, 'amend' | 'handlers' | 'observers' | 'images' | 'trace' | 'nowMs'>>;

/** A world with one user: what most tests need. */
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
export function openScene(name: string, options: SceneOptions = {}): Scene {
  const tape = new Tape(name);
  const deployment = createDeployment(tape.fork('deployment'), BEGINNING_MS);
  const world = new World({ tape, nowMs: BEGINNING_MS, deployment, ...mathematics(), ...options });
  const wallet = { walletId: 'wallet', device: new Device('phone', tape.fork('phone')), credential: 0 as const };
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
