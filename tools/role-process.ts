import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { COMPATIBILITY } from '@streaming-yao/workers/compatibility';
import { Miniflare, NoOpLog } from 'miniflare';
import type { WorkerBundle } from './bundle.ts';
import { endProcesses, findRoleProcesses, isAlive, MARK, markOf, until } from './processes.ts';

export interface RoleProcessOptions {
  readonly role: string;
  /** Absolute; the role's storage and log lie in a folder of its name below it. */
  readonly folder: string;
  readonly port: number;
  readonly bundle: WorkerBundle;
  /** Text bindings: configuration and secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Durable Object classes beside `RoleObject`, by binding name. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Service bindings to other roles, by binding name. */
  readonly peers?: Readonly<Record<string, { readonly port: number }>>;
  /** Folder of SQL migrations, for a role with a D1 database. */
  readonly migrations?: string;
  /** Folder with the files of the wallet page, for a role that serves it. */
  readonly page?: string;
  /** Whether debuggers can look into the Worker. */
  readonly inspected?: boolean;
}

/** One role in a workerd process of its own, which miniflare starts and, should it die, starts again. */
export class RoleProcess {
  readonly role: string;
  readonly url: string;
  readonly #options: RoleProcessOptions;
  readonly #log: WriteStream;
  #runtime: Miniflare | undefined;

  private constructor(options: RoleProcessOptions) {
    this.#options = options;
    this.role = options.role;
    this.url = `http://127.0.0.1:${options.port}`;
    this.#log = createWriteStream(path.join(options.folder, options.role, 'log.txt'), { flags: 'a' });
  }

  static async start(options: RoleProcessOptions): Promise<RoleProcess> {
    await mkdir(path.join(options.folder, options.role), { recursive: true });
    const started = new RoleProcess(options);
    try {
      await started.up();
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** @throws Error while the process is down */
  get pid(): number {
    const pid = this.#findPid();
    if (pid === undefined) throw new Error(`${this.role} has no process now`);
    return pid;
  }

  #findPid(): number | undefined {
    return findRoleProcesses(this.#options.folder).find(({ role }) => role === this.role)?.pid;
  }

  /** Starts the process, on the storage that an earlier one left. */
  async up(): Promise<void> {
    const { bundle, folder, role, migrations, page, inspected, peers = {} } = this.#options;
    const place = path.join(folder, role);
    const runtime = withoutSignalHandlers(
      () =>
        new Miniflare({
          ...COMPATIBILITY_OPTIONS,
          name: role,
          log: new NoOpLog(),
          cf: false,
          host: '127.0.0.1',
          port: 0,
          ...(inspected && { inspectorPort: 0 }),
          unsafeDirectSockets: [{ host: '127.0.0.1', port: this.#options.port }],
          unsafeRuntimeEnv: { [MARK]: markOf(folder, role) },
          handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
            for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => this.#log.write(chunk));
          },
          modules: [
            { type: 'ESModule', path: 'worker.js', contents: bundle.code },
            ...[...bundle.wasm].map(([name, contents]) => ({ type: 'CompiledWasm' as const, path: name, contents })),
          ],
          bindings: this.#options.variables,
          serviceBindings: { ...externalServices(peers), ...(page && { PAGE: { disk: { path: page } } }) },
          durableObjects: durableObjects({ OBJECTS: 'RoleObject', ...this.#options.objects }),
          durableObjectsPersist: path.join(place, 'objects'),
          ...(migrations && { d1Databases: ['DB'], d1Persist: path.join(place, 'database') }),
        }),
    );
    this.#runtime = runtime;
    await runtime.ready;
    if (migrations) await migrate(runtime, migrations);
  }

  /** Ends the process without notice and leaves it down. */
  async down(): Promise<void> {
    const runtime = this.#runtime;
    this.#runtime = undefined;
    const pid = this.#findPid();
    if (runtime) await runtime.dispose();
    // A stopped process does not die of itself, and an orphan of miniflare's would hold the storage.
    if (pid !== undefined) await endProcesses([pid]);
  }

  /** Ends the process without notice (kill -9); the next one is on the same storage. @returns once that one answers */
  async restart(): Promise<{ readonly ended: number; readonly pid: number }> {
    const ended = this.pid;
    await endProcesses([ended]);
    const pid = await until(`restart of ${this.role}`, async () => {
      const next = this.#findPid();
      const answers =
        next !== undefined &&
        next !== ended &&
        (await fetch(`${this.url}/health`).then(
          (r) => r.text(),
          () => undefined,
        ));
      return answers ? next : undefined;
    });
    if (isAlive(ended)) throw new Error(`process ${ended} of ${this.role} is still there`);
    return { ended, pid };
  }

  /** Reads the role's D1 database. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    if (!this.#runtime) throw new Error(`${this.role} is down`);
    const database = await this.#runtime.getD1Database('DB');
    return (await database.prepare(sql).all()).results;
  }

  /** Where debuggers speak with the Worker (Chrome DevTools Protocol). @throws Error unless it is inspected and up */
  async inspectorUrl(): Promise<URL> {
    if (!this.#runtime) throw new Error(`${this.role} is down`);
    return new URL(`/core:user:${this.role}`, await this.#runtime.getInspectorURL());
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, name);
  }

  async stop(): Promise<void> {
    await this.down();
    await new Promise((closed) => this.#log.end(closed));
  }
}

const COMPATIBILITY_OPTIONS = { compatibilityDate: COMPATIBILITY.date, compatibilityFlags: [...COMPATIBILITY.flags] };

function durableObjects(classes: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(classes).map(([binding, className]) => [binding, { className, useSQLite: true }]));
}

function externalServices(peers: Readonly<Record<string, { readonly port: number }>>) {
  return Object.fromEntries(
    Object.entries(peers).map(([binding, { port }]) => [binding, { external: { address: `127.0.0.1:${port}`, http: {} } }]),
  );
}

/** Miniflare ends the whole process on a signal, before anything else could stop in order. Its hook for `exit` stays. */
function withoutSignalHandlers<T>(create: () => T): T {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const created = create();
  signals.forEach((signal, i) => {
    for (const listener of process.listeners(signal)) {
      if (!before[i]?.has(listener)) process.removeListener(signal, listener);
    }
  });
  return created;
}

/** Applies what is new, in order of names, as `wrangler d1 migrations apply` does and in its table. */
async function migrate(runtime: Miniflare, folder: string): Promise<void> {
  const database = await runtime.getD1Database('DB');
  await database
    .prepare(
      'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
    )
    .run();
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.sql') && !applied.has(file)).sort()) {
    const statements = splitStatements(await readFile(path.join(folder, name), 'utf8'));
    const record = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
    await database.batch([...statements.map((statement) => database.prepare(statement)), record]);
  }
}

/** Enough for plain table definitions: no semicolon may stand inside a statement. */
function splitStatements(sql: string): readonly string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
