import { setTimeout as wait } from 'node:timers/promises';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { memoryStorage, type RouterConnection, type Storage } from '@streaming-yao/client';
import { toHex, YaoError } from '@streaming-yao/core';
import { CeremonyRequest, ceremonyIdOf } from '@streaming-yao/wire';
import type { Stack } from '../../../tools/stack.ts';
import { outcomeOf, type TestDevice } from '../device.ts';
import { recordsOf } from '../storage.ts';
import type { Control, Step } from './control.ts';
import { type ClientStep, FrailClient } from './frail-client.ts';
import { type Operation, openScene, type Scene } from './operations.ts';

/** Deadlines so short that a walk can wait for them. */
export const SETTINGS = { ceremonyDeadlineMs: 4_000, callDeadlineMs: 4_000, stagedLaneMs: 3_000 } as const;

/** Every operation ends by then, one way or the other. */
const BOUND_MS = 2 * SETTINGS.ceremonyDeadlineMs + SETTINGS.callDeadlineMs + 8_000;
/** Lets what waits for a step in the background reach it. */
const BACKGROUND_MS = 1_000;

const MESSAGE = new TextEncoder().encode('signed after a crash');

/** Leads operations through crashes, and checks what is left after each. */
export class Walk {
  readonly #stack: Stack;
  readonly #control: Control;

  constructor(stack: Stack, control: Control) {
    this.#stack = stack;
    this.#control = control;
  }

  /** The steps that the roles take in an operation that nothing disturbs. */
  async survey(operation: Operation): Promise<readonly Step[]> {
    const scene = openScene(this.#stack);
    await operation.prepare(scene);
    await wait(BACKGROUND_MS / 4);
    this.#control.begin();
    await operation.act(scene, scene.open());
    await wait(BACKGROUND_MS / 4);
    return this.#control.end().steps;
  }

  /** The same for the client's requests and writes. */
  async surveyClient(operation: Operation): Promise<readonly ClientStep[]> {
    const scene = openScene(this.#stack);
    await operation.prepare(scene);
    const client = new FrailClient();
    await operation.act(scene, client.open(scene));
    return client.steps.flatMap((kind, index) => (['before', 'after'] as const).map((when) => ({ index, kind, when })));
  }

  /**
   * Kills (SIGKILL) or freezes (SIGSTOP, for longer than a ceremony may take) the role that is about to take `step`.
   * @returns whether the operation came to that step this time
   * @throws Error that says what is broken afterwards
   */
  async visit(operation: Operation, step: Step, way: 'kill' | 'freeze'): Promise<boolean> {
    const scene = openScene(this.#stack);
    await operation.prepare(scene);
    const role = this.#stack.roles[step.role];
    let struck: Promise<unknown> | undefined;
    const before = await copyOf(scene.storage);
    const requests: CeremonyRequest[] = [];
    this.#control.begin(step, () => {
      struck = way === 'kill' ? this.#stack.restart(step.role) : freeze(role);
      return struck.then(() => undefined);
    });
    await bounded(
      `${operation.name} itself`,
      outcomeOf(operation.act(scene, scene.open(scene.storage, noting(scene, requests)))),
    );
    for (let waited = 0; !struck && waited < BACKGROUND_MS; waited += 50) await wait(50);
    const { reached } = this.#control.end();
    await struck;
    await this.#check(operation, scene, before, requests);
    return reached;
  }

  /** Ends the client at one of its steps; another one takes over its storage. */
  async visitClient(operation: Operation, step: ClientStep): Promise<boolean> {
    const scene = openScene(this.#stack);
    await operation.prepare(scene);
    const before = await copyOf(scene.storage);
    const client = new FrailClient(step);
    await bounded(`${operation.name} itself`, outcomeOf(operation.act(scene, client.open(scene))));
    await this.#check(operation, scene, before, []);
    return client.ended;
  }

  async #check(operation: Operation, scene: Scene, before: Storage, requests: readonly CeremonyRequest[]): Promise<void> {
    const device = scene.open();
    await persisting('resuming', () => device.wallet.resume());
    await this.#oneEpochSigns(operation, scene, device, before);
    await this.#ended(device, requests);
    await persisting(`${operation.name} again`, () => operation.retry(scene, scene.open()));
    if (!(await signs(scene.open()))) throw new Error('after the next attempt the device does not sign');
  }

  /** Either the old or the new one: never neither, never both. */
  async #oneEpochSigns({ name }: Operation, scene: Scene, device: TestDevice, before: Storage): Promise<void> {
    const old = scene.open(before);
    const [earlier, now] = [await old.wallet.status(), await device.wallet.status()];
    if (now && !(await signs(device))) throw new Error('the device has a lane that does not sign');
    const helper = await scene.helper.wallet.status();
    if (earlier && !now) throw new Error('the device has lost its lane');
    if (earlier && now && earlier.epoch !== now.epoch && (await signs(old))) throw new Error('two epochs sign');
    if (!helper) return;
    const helping = await signs(scene.helper);
    if (!now && !helping) throw new Error('no lane signs');
    if (name === 'recover' && now && helping) throw new Error('a lane signs that the recovery has retired');
    if (name === 'link' && !helping) throw new Error('the device that approved the link signs no more');
  }

  /** A ceremony that was interrupted has ended at both Derivers, completed or burned, as soon as anybody asks for it again. */
  async #ended({ router }: TestDevice, requests: readonly CeremonyRequest[]): Promise<void> {
    for (const request of requests) {
      await bounded('asking again', outcomeOf(router('/v1/ceremonies', CeremonyRequest.toJson(request))));
      const id = toHex(ceremonyIdOf(request.core, { a: sha256(request.envelopeA), b: sha256(request.envelopeB) }));
      for (const role of ['deriver-a', 'deriver-b'] as const) {
        const records = await recordsOf(this.#stack, role);
        const left = records.find(({ table, key }) => table === 'ceremony' && key === id)?.value;
        // The state stands behind the domain tag: running, completed, burned.
        if (left && left[1 + (left[0] as number)] === 0) throw new Error(`a ceremony is left running at ${role}`);
      }
    }
  }
}

async function freeze(role: Stack['roles']['router']): Promise<void> {
  role.signal('SIGSTOP');
  await wait(SETTINGS.ceremonyDeadlineMs + 500);
  role.signal('SIGCONT');
}

async function signs(device: TestDevice): Promise<boolean> {
  let publicKey: Uint8Array | undefined;
  let signature: Uint8Array | undefined;
  const code = await outcomeOf(
    persisting('signing', async () => {
      publicKey = await device.wallet.publicKey();
      ({ signature } = await device.wallet.sign(MESSAGE));
    }),
  );
  if (code === 'done') return ed25519.verify(signature as Uint8Array, MESSAGE, publicKey as Uint8Array);
  if (code === 'epoch_retired' || code === 'epoch_mismatch') return false;
  throw new Error(`signing ended with ${code}`);
}

/** Tries again while the error says that this can help, as an app does. */
async function persisting<T>(what: string, act: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + BOUND_MS; ; await wait(200)) {
    try {
      return await bounded(what, act());
    } catch (error) {
      if (!(error instanceof YaoError && error.retryable) || Date.now() > end) throw error;
    }
  }
}

async function bounded<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = wait(BOUND_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${what} has no end`);
  });
  try {
    return await Promise.race([promise, timer]);
  } finally {
    timer.catch(() => undefined);
    late.abort();
  }
}

async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage();
  for (const name of await storage.names('')) {
    using record = await storage.get(name);
    await copy.set(name, record);
  }
  return copy;
}

/** A connection that remembers which ceremonies were asked for. */
function noting(scene: Scene, requests: CeremonyRequest[]): RouterConnection {
  const { router } = scene.open();
  return (path, body) => {
    if (path === '/v1/ceremonies') requests.push(CeremonyRequest.fromJson(body));
    return router(path, body);
  };
}
