import type { D1Database, D1Meta, D1Result, DurableObjectState, DurableObjectStorage } from '@cloudflare/workers-types';

/** What the platform would charge a role for beside CPU, since the meter was last read. */
export interface Reading {
  requests: number;
  objectRequests: number;
  objectMessages: number;
  objectActiveMs: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  databaseRowsRead: number;
  databaseRowsWritten: number;
}

/** What stands in a role's storage when the meter is read. */
export interface Standing {
  /** Rows that the deletion of all that has a deletion time would write. */
  rowsToDelete: number;
  objectBytes: number;
  databaseBytes: number;
}

export const METER_PATH = '/meter';

const zero = (): Reading => ({
  requests: 0,
  objectRequests: 0,
  objectMessages: 0,
  objectActiveMs: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  databaseRowsRead: 0,
  databaseRowsWritten: 0,
});

let reading = zero();
let databaseBytes = 0;
/** Names of the objects seen, by the binding that reaches them. */
const seen = new Map<string, Set<string>>();

countMessages();

/** Every end of a WebSocket that a role listens on is an object's. */
function countMessages(): void {
  const listen = WebSocket.prototype.addEventListener;
  WebSocket.prototype.addEventListener = function (this: WebSocket, type: string, ...rest: unknown[]) {
    if (type === 'message') listen.call(this, 'message', () => void reading.objectMessages++);
    return Reflect.apply(listen, this, [type, ...rest]);
  };
}

type Environment = Readonly<Record<string, unknown>> & { readonly DB?: D1Database };
type Fetch = (request: Request, ...rest: never[]) => Promise<Response>;
interface ObjectInstance {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly alarm?: () => Promise<void>;
}
type ObjectClass = new (state: never, environment: never) => ObjectInstance;

/** The role's Worker, which also tells what it and its objects have used. */
export function meteredWorker(worker: { readonly fetch: (...args: never[]) => Promise<Response> }) {
  return {
    fetch: async (request: Request, environment: Environment, context: unknown): Promise<Response> => {
      if (environment.DB) meterDatabase(environment.DB);
      const { pathname } = new URL(request.url);
      if (pathname === METER_PATH) return Response.json(await read(environment));
      reading.requests++;
      return (worker.fetch as unknown as Fetch)(request, ...([environment, context] as never[]));
    },
  };
}

async function read(environment: Environment): Promise<Reading & Standing> {
  const taken = reading;
  reading = zero();
  let [rowsToDelete, objectBytes] = [0, 0];
  for (const [binding, names] of seen) {
    const namespace = environment[binding] as { idFromName(name: string): never; get(id: never): { fetch: typeof fetch } };
    for (const name of names) {
      const answer = await namespace.get(namespace.idFromName(name)).fetch(`http://object${METER_PATH}`);
      const standing = (await answer.json()) as Omit<Standing, 'databaseBytes'>;
      rowsToDelete += standing.rowsToDelete;
      objectBytes += standing.objectBytes;
    }
  }
  return { ...taken, rowsToDelete, objectBytes, databaseBytes };
}

/** @param binding by which the role reaches objects of this class */
export function meteredObject<C extends ObjectClass>(Base: C, binding: string): C {
  const Metered = class {
    readonly #storage: DurableObjectStorage;
    readonly #object: ObjectInstance;
    readonly #activity = new Activity();

    constructor(state: DurableObjectState, environment: Environment) {
      seen.set(binding, (seen.get(binding) ?? new Set()).add(state.id.name ?? ''));
      if (environment.DB) meterDatabase(environment.DB);
      this.#storage = state.storage;
      const storage = meteredStorage(state.storage);
      const waitUntil = (promise: Promise<unknown>): void => {
        state.waitUntil(promise);
        void this.#activity.during(promise);
      };
      this.#object = new Base({ id: state.id, storage, waitUntil } as never, environment as never);
    }

    fetch(request: Request): Promise<Response> {
      if (new URL(request.url).pathname === METER_PATH) return Promise.resolve(Response.json(standingOf(this.#storage)));
      reading.objectRequests++;
      return this.#activity.during(this.#object.fetch(request));
    }

    /** Deletes what is due, which was counted when it was written; how many deletions share an alarm is up to the traffic. */
    async alarm(): Promise<void> {
      const before = { ...reading };
      const { rowsToDelete: due } = standingOf(this.#storage);
      const ended = this.#object.alarm?.();
      const deleted = due - standingOf(this.#storage).rowsToDelete;
      // It has nothing to wait for, so that nobody else has counted meanwhile.
      reading = { ...before, objectRowsWritten: before.objectRowsWritten + deleted };
      await ended;
    }
  };
  return Metered as unknown as C;
}

/** Wall-clock time of one object, however much it does at once. */
class Activity {
  #running = 0;
  #sinceMs = 0;

  async during<T>(work: Promise<T>): Promise<T> {
    if (this.#running++ === 0) this.#sinceMs = Date.now();
    try {
      return await work;
    } finally {
      if (--this.#running === 0) reading.objectActiveMs += Date.now() - this.#sinceMs;
    }
  }
}

function standingOf(storage: DurableObjectStorage): Omit<Standing, 'databaseBytes'> {
  return { rowsToDelete: rowsToDelete(storage), objectBytes: storage.sql.databaseSize };
}

/** Deletes what has a deletion time, counts, and takes it back. */
function rowsToDelete(storage: DurableObjectStorage): number {
  const isStore = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'records'").toArray().length > 0;
  let written = 0;
  const undo = new Error('only counted');
  try {
    storage.transactionSync(() => {
      if (isStore) written = storage.sql.exec('DELETE FROM records WHERE delete_at_ms IS NOT NULL').rowsWritten;
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return written;
}

type Exec = DurableObjectStorage['sql']['exec'];

function meteredStorage(storage: DurableObjectStorage): DurableObjectStorage {
  const exec = (...args: Parameters<Exec>) => {
    const cursor = storage.sql.exec(...args);
    let [rowsRead, rowsWritten] = [0, 0];
    const tally = (): void => {
      reading.objectRowsRead += cursor.rowsRead - rowsRead;
      reading.objectRowsWritten += cursor.rowsWritten - rowsWritten;
      [rowsRead, rowsWritten] = [cursor.rowsRead, cursor.rowsWritten];
    };
    const ending = (end: 'toArray' | 'one') => () => {
      const rows = cursor[end]();
      tally();
      return rows;
    };
    tally();
    return { toArray: ending('toArray'), one: ending('one') };
  };
  const keyValue = {
    put: (entries: Record<string, unknown>) => {
      reading.objectRowsWritten += Object.keys(entries).length;
      return storage.put(entries);
    },
    get: (key: string) => {
      reading.objectRowsRead++;
      return storage.get(key);
    },
    deleteAll: async () => {
      reading.objectRowsWritten += (await storage.list()).size;
      return storage.deleteAll();
    },
  };
  return {
    ...keyValue,
    sql: { exec },
    transactionSync: <T>(work: () => T) => storage.transactionSync(work),
    setAlarm: (atMs: number) => {
      // One row each, as the provider's price list has it.
      reading.objectRowsWritten++;
      return storage.setAlarm(atMs);
    },
    deleteAlarm: () => storage.deleteAlarm(),
  } as unknown as DurableObjectStorage;
}

const metered = new WeakSet<object>();

/** Reads what D1 says of each statement; all bindings of a Worker share these two prototypes. */
function meterDatabase(database: D1Database): void {
  const prototypes = [Object.getPrototypeOf(database), Object.getPrototypeOf(database.prepare('SELECT 1'))];
  for (const prototype of prototypes) {
    if (metered.has(prototype)) continue;
    metered.add(prototype);
    for (const name of ['batch', 'all', 'run']) {
      const original = prototype[name];
      if (original) prototype[name] = tallying(original);
    }
  }
}

type Query = (...args: unknown[]) => Promise<D1Result | readonly D1Result[]>;

function tallying(query: Query): Query {
  return async function (this: unknown, ...args) {
    const result = await Reflect.apply(query, this, args);
    for (const { meta } of Array.isArray(result) ? result : [result]) tallyDatabase(meta);
    return result;
  };
}

function tallyDatabase({ rows_read, rows_written, size_after }: D1Meta): void {
  reading.databaseRowsRead += rows_read;
  reading.databaseRowsWritten += rows_written;
  databaseBytes = size_after;
}
