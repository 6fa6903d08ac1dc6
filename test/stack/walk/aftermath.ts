import { setTimeout as wait } from 'node:timers/promises';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { memoryStorage, type Storage } from '@streaming-yao/client';
import { toHex, YaoError } from '@streaming-yao/core';
import { CeremonyRequest, ceremonyIdOf, type DeriverRole } from '@streaming-yao/wire';
import type { Stack } from '../../../tools/stack.ts';
import { outcomeOf, type TestDevice } from '../device.ts';
import { ceremonyState, recordsOf } from '../storage.ts';
import type { Operation, Scene } from './operations.ts';

/** What a crash has left. */
export interface Aftermath {
  readonly stack: Stack;
  readonly operation: Operation;
  readonly scene: Scene;
  /** What the devices had kept before the operation. */
  readonly before: Readonly<Record<keyof Scene, Storage>>;
  /** The ceremonies that were asked for. */
  readonly requests: readonly CeremonyRequest[];
  /** What the interrupted operation told its user. */
  readonly outcome: string;
}

/** Every operation ends by then, one way or the other, also where the machine has much else to do. */
const BOUND_MS = 60_000;

const MESSAGE = new TextEncoder().encode('signed after a crash');

/**
 * One epoch signs, the old or the new one; no ceremony is left running; the next attempt succeeds, and one epoch signs again.
 * @throws Error that says what does not hold
 */
export async function checkAftermath(aftermath: Aftermath): Promise<void> {
  const { scene, operation, outcome } = aftermath;
  const { wallet } = scene.client.open();
  const refusals: string[] = [];
  const resumed = await persisting('resuming', () => wallet.resume().catch((error) => rethrown(error, refusals)));
  await checkSigners(aftermath, false);
  await checkEnded(aftermath);
  const next = { client: scene.client.open(), approver: scene.approver.open() };
  await persisting(`${operation.name} again`, () => operation.act(next, true)).catch((error: unknown) => {
    const course = `it had ended with ${outcome}, then ${['resuming', ...refusals, resumed ? 'helped' : 'found nothing'].join(', ')}`;
    throw new Error(`${(error as Error).message} (${course})`, { cause: error });
  });
  if (!(await signs(scene.client.open()))) throw new Error('after the next attempt the device does not sign');
  await checkSigners(aftermath, true);
}

function rethrown(error: unknown, refusals: string[]): never {
  refusals.push(error instanceof YaoError ? error.code : String(error));
  throw error;
}

/**
 * Either the old epoch or the new one: never neither, never both.
 * @param succeeded whether the operation has; else what it has come to is seen from whether the client has got a lane by it
 */
async function checkSigners({ scene, operation, before }: Aftermath, succeeded: boolean): Promise<void> {
  const [old, client, approver] = [scene.client.open(before.client), scene.client.open(), scene.approver.open()];
  const [earlier, now] = [await old.wallet.status(), await client.wallet.status()];
  if (now && !(await signs(client))) throw new Error('the device has a lane that does not sign');
  if (earlier && !now) throw new Error('the device has lost its lane');
  if (earlier && now && earlier.epoch !== now.epoch && (await signs(old))) throw new Error('two epochs sign');
  if (!operation.approver) return;
  const approving = await signs(approver);
  if (!now && !approving) throw new Error('no lane signs');
  if (operation.approver === 'stays' && !approving) throw new Error('the device that approved signs no more');
  const ended = succeeded || (now !== undefined && earlier === undefined);
  if (operation.approver === 'ends' && ended && approving) throw new Error('a lane signs that has been ended');
}

/** A ceremony that was interrupted has ended at both Derivers, completed or burned, as soon as anybody asks for it again. */
async function checkEnded({ stack, scene, requests }: Aftermath): Promise<void> {
  const { router } = scene.client.open();
  for (const request of requests) {
    await bounded('asking again', outcomeOf(router('/v1/ceremonies', CeremonyRequest.toJson(request))));
  }
  for (const deriver of ['deriver-a', 'deriver-b'] as const) {
    if (await runsAt(stack, deriver, requests)) throw new Error(`a ceremony is left running at ${deriver}`);
  }
}

/** Whether one of the ceremonies has neither completed nor burned at a Deriver. */
export async function runsAt(stack: Stack, deriver: DeriverRole, requests: readonly CeremonyRequest[]): Promise<boolean> {
  const ids = requests.map(({ core, envelopeA, envelopeB }) =>
    toHex(ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) })),
  );
  return (await recordsOf(stack, deriver)).some((record) => ids.includes(record.key) && ceremonyState(record) === 'running');
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

/** A share has waited for longer than it may, which a busy machine can bring about; the old one signs, and the user tries again. */
const waitedTooLong = ({ code }: YaoError): boolean => code === 'ceremony_unknown';

/** Tries again while the error says that this can help, as an app does. */
export async function persisting<T>(what: string, act: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + BOUND_MS; ; await wait(100)) {
    try {
      return await bounded(what, act());
    } catch (error) {
      const again = error instanceof YaoError && (error.retryable || waitedTooLong(error));
      if (!again || Date.now() > end) throw error;
    }
  }
}

export async function bounded<T>(what: string, promise: Promise<T>): Promise<T> {
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

export async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage();
  for (const name of await storage.names('')) {
    using record = await storage.get(name);
    await copy.set(name, record);
  }
  return copy;
}
