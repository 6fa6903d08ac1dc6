import type { Transaction } from '@streaming-yao/ceremony/program';
import { FRAME_KINDS, type Role } from '@streaming-yao/wire';
import type { D1Database, DurableObjectState, RoleBinding, Socket, UpgradeResponse } from '@streaming-yao/workers/platform';
import type { RoleObject } from '@streaming-yao/workers/role-object';
import type { RoleWorker } from '@streaming-yao/workers/role-worker';
import { RecordStore } from '@streaming-yao/workers/storage';

/** A role's entry module, and one whose every step waits for leave: between any two of its messages and writes it can be ended. */
interface Entry {
  readonly worker: RoleWorker;
  readonly RoleObject: new (state: DurableObjectState, environment: never) => RoleObject;
}

interface Controlled {
  readonly CONTROL: RoleBinding;
}

/** Asks for leave to take a step. Since an object's answers wait for its writes, what it wrote before is on the disk by then. */
type Hold = (kind: string) => Promise<void>;

const holdOf =
  (role: Role, { CONTROL }: Controlled): Hold =>
  async (kind) => {
    await CONTROL.fetch('http://control/', { method: 'POST', body: JSON.stringify({ role, kind }) });
  };

const PEERS = ['DERIVER_A', 'DERIVER_B', 'SIGNING_WORKER'] as const;

function heldEnvironment<E extends object>(role: Role, environment: E & Controlled): E {
  const hold = holdOf(role, environment);
  const held: Record<string, unknown> = { ...(environment as object) };
  for (const name of PEERS) {
    const binding = held[name] as RoleBinding | undefined;
    if (binding) held[name] = heldBinding(binding, hold);
  }
  if (held.DB) held.DB = heldDatabase(held.DB as D1Database, hold);
  return held as unknown as E;
}

const heldDatabase = (database: D1Database, hold: Hold): Pick<D1Database, 'prepare' | 'batch'> => ({
  prepare: (sql) => database.prepare(sql),
  batch: async (statements) => {
    await hold('before audit');
    const written = await database.batch<never>(statements);
    await hold('after audit');
    return written;
  },
});

function heldBinding(binding: RoleBinding, hold: Hold): RoleBinding {
  return {
    fetch: async (url, init) => {
      const { hostname, pathname } = new URL(url);
      await hold(`before ${hostname} ${pathname}`);
      const response = await binding.fetch(url, init);
      await hold(`after ${hostname} ${pathname}`);
      const { webSocket, headers } = response as UpgradeResponse;
      return webSocket ? ({ webSocket: heldSocket(webSocket, hold), headers } as UpgradeResponse) : response;
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

/** After each transaction that writes, its program waits for leave. Each effect may take its time; hence so may this one. */
function holdWrites(hold: () => Hold): void {
  const { transact } = RecordStore.prototype;
  RecordStore.prototype.transact = function heldTransact<T>(this: RecordStore, decide: (transaction: Transaction) => T): T {
    const written = new Set<string>();
    const result = transact.call(this, (transaction) => decide(noting(transaction, written))) as T;
    if (written.size === 0) return result;
    return hold()(`wrote ${[...written].toSorted().join(', ')}`).then(() => result) as T;
  };
}

function noting(transaction: Transaction, written: Set<string>): Transaction {
  return {
    get: (table, key) => transaction.get(table, key),
    list: (table, prefix, limit) => transaction.list(table, prefix, limit),
    put: (table, key, value, deleteAtMs) => {
      written.add(table);
      transaction.put(table, key, value, deleteAtMs);
    },
    delete: (table, key) => {
      written.add(`no ${table}`);
      transaction.delete(table, key);
    },
  };
}

export function heldRole(role: Role, { worker, RoleObject: Base }: Entry) {
  let current: Hold = async () => undefined;
  holdAcceptedSockets(() => current);
  holdWrites(() => current);

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
