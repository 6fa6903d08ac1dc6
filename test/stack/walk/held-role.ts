import { FRAME_KINDS, type Role } from '@streaming-yao/wire';
import type { DurableObjectState, RoleBinding, Socket, UpgradeResponse } from '@streaming-yao/workers/platform';
import type { RoleObject } from '@streaming-yao/workers/role-object';
import type { RoleWorker } from '@streaming-yao/workers/role-worker';

/** A role's entry module, and one whose every step waits for leave: between any two of its messages and writes it can be ended. */
interface Entry {
  readonly worker: RoleWorker;
  readonly RoleObject: new (state: DurableObjectState, environment: never) => RoleObject;
}

interface Controlled {
  readonly CONTROL: RoleBinding;
}

/** Asks for leave to take a step. Since an object's answers wait for its writes, what it wrote before is on the disk by then. */
type Hold = (step: string) => Promise<void>;

const holdOf =
  (role: Role, { CONTROL }: Controlled): Hold =>
  async (step) => {
    await CONTROL.fetch('http://control/', { method: 'POST', body: JSON.stringify({ role, step }) });
  };

const PEERS = ['DERIVER_A', 'DERIVER_B', 'SIGNING_WORKER'] as const;

function heldEnvironment<E extends object>(role: Role, environment: E & Controlled): E {
  const hold = holdOf(role, environment);
  const held: Record<string, unknown> = { ...(environment as object) };
  for (const name of PEERS) {
    const binding = held[name] as RoleBinding | undefined;
    if (binding) held[name] = heldBinding(binding, hold);
  }
  return held as unknown as E;
}

function heldBinding(binding: RoleBinding, hold: Hold): RoleBinding {
  return {
    fetch: async (url, init) => {
      const { hostname, pathname } = new URL(url);
      await hold(`before ${hostname} ${pathname}`);
      const response = await binding.fetch(url, init);
      await hold(`after ${hostname} ${pathname}`);
      const { webSocket } = response as UpgradeResponse;
      return webSocket ? ({ webSocket: heldSocket(webSocket, hold) } as UpgradeResponse) : response;
    },
  };
}

/** Sends and closes in order, each with leave. */
function heldSocket(socket: Socket, hold: Hold): Socket {
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue = (step: () => unknown): void => {
    queue = queue.then(step).catch(() => undefined);
  };
  const send = (frame: Uint8Array<ArrayBuffer>): void =>
    enqueue(async () => {
      await hold(`frame ${FRAME_KINDS[frame[1] as number]}`);
      socket.send(frame);
    });
  const close = (status: number): void => enqueue(() => socket.close(status));
  return new Proxy(socket, {
    get: (target, name) => {
      if (name === 'send') return send;
      if (name === 'close') return close;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

/** Makes the sockets that this role accepts held ones, too. */
function holdAcceptedSockets(hold: () => Hold): void {
  const platform = globalThis as unknown as { WebSocketPair: new () => { readonly 0: Socket; readonly 1: Socket } };
  const Pair = platform.WebSocketPair;
  platform.WebSocketPair = class {
    readonly 0: Socket;
    readonly 1: Socket;

    constructor() {
      const { 0: theirs, 1: ours } = new Pair();
      this[0] = theirs;
      this[1] = heldSocket(ours, hold());
    }
  };
}

export function heldRole(role: Role, { worker, RoleObject: Base }: Entry) {
  let current: Hold | undefined;
  holdAcceptedSockets(() => current ?? (async () => undefined));

  class HeldObject extends Base {
    readonly #hold: Hold;

    constructor(state: DurableObjectState, environment: Controlled) {
      super(state, heldEnvironment<Controlled>(role, environment) as never);
      this.#hold = holdOf(role, environment);
      current = this.#hold;
    }

    override async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      await this.#hold(`asked ${pathname}`);
      const response = await super.fetch(request);
      await this.#hold(`answers ${pathname}`);
      return response;
    }
  }

  const held: RoleWorker = {
    fetch: (request, environment, context) =>
      worker.fetch(request, heldEnvironment(role, environment as typeof environment & Controlled), context),
  };
  return { held, HeldObject };
}

interface Slot {
  fetch(request: Request): Promise<Response>;
}

/** The vault's slots, with a step before and after each write and each erasure. */
export function heldSlot(Base: new (state: DurableObjectState) => Slot) {
  return class extends Base {
    readonly #hold: Hold;

    constructor(state: DurableObjectState, environment: Controlled) {
      super(state);
      this.#hold = holdOf('signing-worker', environment);
    }

    override async fetch(request: Request): Promise<Response> {
      if (request.method === 'GET') return super.fetch(request);
      await this.#hold(`before vault ${request.method}`);
      const response = await super.fetch(request);
      await this.#hold(`after vault ${request.method}`);
      return response;
    }
  };
}
