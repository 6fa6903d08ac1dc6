import { setTimeout as wait } from 'node:timers/promises';
import { memoryStorage, type Storage } from '@streaming-yao/client';
import type { CeremonyRequest, Role } from '@streaming-yao/wire';
import { isAlive, until } from '../../../tools/processes.ts';
import type { Stack } from '../../../tools/stack.ts';
import { outcomeOf } from '../device.ts';
import { bounded, checkAftermath, copyOf, persisting, runsAt } from './aftermath.ts';
import type { Actor, Control, Step } from './control.ts';
import { FrailApp } from './frail-app.ts';
import { SETTINGS } from './held-stack.ts';
import { type Devices, type Operation, openScene, type Scene } from './operations.ts';

/** Longer than everything that waits for the frozen one. */
const FREEZE_MS = SETTINGS.ceremonyDeadlineMs + 300;

/** Lets what waits for a step in the background reach it. */
const BACKGROUND_MS = 1_000;

export const WAYS = ['kill', 'freeze'] as const;
export type Way = (typeof WAYS)[number];

/** One crash: what is under way, where it strikes, and how. */
export interface Point {
  readonly operation: Operation;
  readonly step: Step;
  readonly way: Way;
}

const DERIVERS = ['deriver-a', 'deriver-b'] as const;
const APPS = ['client', 'approver'] as const;
const isApp = (actor: Actor): actor is keyof Scene => APPS.some((app) => app === actor);

/** An operation under way, its steps counted. */
interface Attempt {
  readonly scene: Scene;
  readonly apps: Readonly<Record<keyof Scene, FrailApp>>;
  readonly act: () => Promise<unknown>;
}

/** Leads operations through crashes, and checks what is left after each. */
export class Walk {
  readonly #stack: Stack;
  readonly #control: Control;
  readonly #newStorage: () => Storage;

  /** @param newStorage makes what a device keeps its records in */
  constructor(stack: Stack, control: Control, newStorage: () => Storage = memoryStorage) {
    this.#stack = stack;
    this.#control = control;
    this.#newStorage = newStorage;
  }

  /** Records an operation that nothing disturbs. @returns every step that anybody takes in it */
  survey(operation: Operation): Promise<readonly Step[]> {
    return persisting('recording', async () => {
      const { act } = await this.#begin(operation);
      this.#control.begin();
      await act();
      await this.#control.quiet();
      return this.#control.end().steps;
    });
  }

  /**
   * Kills (SIGKILL) or freezes (SIGSTOP, for longer than a ceremony may take) whoever is about to take the point's step.
   * @returns whether the operation came to that step this time
   * @throws Error that says what is broken afterwards
   */
  async visit({ operation, step, way }: Point): Promise<boolean> {
    const { scene, apps, act } = await this.#begin(operation);
    const before = { client: await copyOf(scene.client.storage), approver: await copyOf(scene.approver.storage) };
    let struck: Promise<void> | undefined;
    this.#control.begin(step, () => {
      struck = isApp(step.actor) ? strikeApp(apps[step.actor], way) : this.#strikeRole(step.actor, way, requestsOf(apps));
      return struck.catch(() => undefined);
    });
    const outcome = await bounded(`${operation.name} itself`, outcomeOf(act()));
    for (let waited = 0; !struck && waited < BACKGROUND_MS; waited += 50) await wait(50);
    const { reached } = this.#control.end();
    await struck;
    for (const app of Object.values(apps)) app.end();
    await checkAftermath({ stack: this.#stack, operation, scene, before, requests: requestsOf(apps), outcome });
    return reached;
  }

  async #begin(operation: Operation): Promise<Attempt> {
    const scene = openScene(this.#stack, this.#newStorage);
    await persisting('preparing', () => operation.prepare(devicesOf(scene)));
    const apps = { client: new FrailApp('client', this.#control), approver: new FrailApp('approver', this.#control) };
    await this.#control.quiet();
    const devices = devicesOf(scene, apps);
    return { scene, apps, act: () => operation.act(devices, false) };
  }

  async #strikeRole(role: Role, way: Way, requests: readonly CeremonyRequest[]): Promise<void> {
    if (way === 'freeze') return this.#freeze(role, requests);
    const { ended, pid } = await this.#stack.restart(role);
    if (isAlive(ended) || pid === ended) throw new Error(`process ${ended} of ${role} was killed and is still there`);
  }

  /** By the time that the role goes on, the others must have ended what they were waiting for. */
  async #freeze(role: Role, requests: readonly CeremonyRequest[]): Promise<void> {
    this.#stack.roles[role].signal('SIGSTOP');
    try {
      await wait(FREEZE_MS);
      for (const other of DERIVERS.filter((deriver) => deriver !== role)) {
        const ended = async () => ((await runsAt(this.#stack, other, requests)) ? undefined : true);
        await until(`end of the ceremony at ${other} while ${role} is frozen`, ended, SETTINGS.ceremonyDeadlineMs);
      }
    } finally {
      this.#stack.roles[role].signal('SIGCONT');
    }
  }
}

const requestsOf = ({ client, approver }: Attempt['apps']): readonly CeremonyRequest[] => [
  ...client.requests,
  ...approver.requests,
];

async function strikeApp(app: FrailApp, way: Way): Promise<void> {
  if (way === 'kill') app.end();
  else await wait(FREEZE_MS);
}

function devicesOf({ client, approver }: Scene, apps?: Attempt['apps']): Devices {
  if (!apps) return { client: client.open(), approver: approver.open() };
  const frail = (place: Scene['client'], app: FrailApp) =>
    place.open(app.storage(place.storage), app.connection(place.open().router));
  return { client: frail(client, apps.client), approver: frail(approver, apps.approver) };
}
