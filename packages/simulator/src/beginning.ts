import { call } from '@streaming-yao/ceremony/program';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { createDeployment, type Deployment } from './deployment.ts';
import { Device } from './device.ts';
import type { StoreImage } from './store.ts';
import type { Mathematics } from './surroundings.ts';
import { Tape } from './tape.ts';
import { register } from './workload/obtain.ts';
import type { Wallet } from './workload/wallet.ts';
import { World } from './world.ts';

/** Where worlds begin: keys, users, and what all have stored so far. */
export interface Beginning {
  readonly nowMs: number;
  readonly deployment: Deployment;
  readonly images: ReadonlyMap<string, StoreImage>;
  readonly wallet: Wallet;
}

const NOW_MS = 1_800_000_000_000;

let loaded: Mathematics | undefined;

/** The kernels, loaded once. */
export function mathematics(): Mathematics {
  loaded ??= { engine: loadKernel(), group: loadGroup() };
  return loaded;
}

/** Nothing has happened yet. */
export function freshBeginning(name: string): Beginning {
  const tape = new Tape(name);
  const wallet: Wallet = { walletId: 'wallet', device: Device.create('phone', tape.fork('phone')), credential: 0 };
  return { nowMs: NOW_MS, deployment: createDeployment(tape.fork('deployment'), NOW_MS), images: new Map(), wallet };
}

let paired: Promise<Beginning> | undefined;
let registered: Promise<Beginning> | undefined;

/** The Derivers have paired. Made once per process: base OTs take most of a second. */
export function pairedBeginning(): Promise<Beginning> {
  paired ??= after(freshBeginning('paired'), (world) => {
    const ready = call({ role: 'deriver-a', path: '/ready', body: {}, deadlineMs: world.nowMs + 60_000 });
    return world.start(world.objects.of('router', ''), 'ready', ready);
  });
  return paired;
}

/** And the user has registered a key. */
export function registeredBeginning(): Promise<Beginning> {
  registered ??= pairedBeginning().then((beginning) =>
    after(beginning, (world) => {
      const { actor, surroundings } = world.client(beginning.wallet.device);
      return world.start(actor, 'register', register(surroundings, beginning.wallet));
    }),
  );
  return registered;
}

async function after(beginning: Beginning, start: (world: World) => ReturnType<World['start']>): Promise<Beginning> {
  const world = new World({ ...beginning, ...mathematics(), tape: new Tape('beginning') });
  const outcome = await world.settle(start(world));
  if ('error' in outcome) throw outcome.error;
  await world.drain(1000);
  return { ...beginning, nowMs: world.nowMs, images: world.objects.images };
}
