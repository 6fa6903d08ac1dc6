import type { Transaction } from '@streaming-yao/ceremony/program';
import { YaoError } from '@streaming-yao/core';
import type { DurableObjectStorage } from './platform.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (
    tbl TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, delete_at_ms INTEGER,
    PRIMARY KEY (tbl, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS records_due ON records (delete_at_ms) WHERE delete_at_ms IS NOT NULL;
`;

/** Greater than every other code point, and in no key, hence a bound above every key with a given prefix. */
const LAST_CODE_POINT = '\u{10FFFF}';

type Storage = Pick<DurableObjectStorage, 'sql' | 'transactionSync' | 'setAlarm' | 'deleteAlarm'>;

/** Later than every alarm. */
const NONE = Number.POSITIVE_INFINITY;

/** Brings an object's database to the next version. A step that has been released never changes. */
export type SchemaStep = (sql: Storage['sql']) => void;

/** A database of the first version has no mark, so that making an object costs no write of its own. */
export const STEPS: readonly SchemaStep[] = [(sql) => void sql.exec(SCHEMA)];

const MARK = 'schema';

/**
 * Takes all steps that a database has not taken yet.
 * @throws YaoError `config_invalid` for a database that a newer version has written
 */
function bringUp(sql: Storage['sql'], [first, ...later]: readonly SchemaStep[]): void {
  first?.(sql);
  const [mark] = sql.exec('SELECT value FROM records WHERE tbl = ?', MARK).toArray();
  const version = mark ? (new Uint8Array(mark.value as ArrayBuffer)[0] ?? 1) : 1;
  const newest = later.length + 1;
  if (version > newest) {
    const why = `this storage is of version ${version} and this software of version ${newest}; run the newer one`;
    throw new YaoError('config_invalid', why, { party: 'operator' });
  }
  if (version === newest) return;
  for (const step of later.slice(version - 1)) step(sql);
  const value = Uint8Array.of(newest).buffer;
  sql.exec("INSERT OR REPLACE INTO records (tbl, key, value) VALUES (?, '', ?)", MARK, value);
}

/** The durable records of one object, in its SQLite database; records that are due are deleted by the object's alarm. */
export class RecordStore {
  readonly #storage: Storage;
  /** When the alarm goes off, as far as this instance knows; a lost alarm is set again by the first transaction. */
  #alarmAtMs: number | undefined;

  /** @param steps of the schema; a test's own in tests */
  constructor(storage: Storage, steps: readonly SchemaStep[] = STEPS) {
    this.#storage = storage;
    storage.transactionSync(() => bringUp(storage.sql, steps));
  }

  /**
   * Runs `decide` in one transaction; nothing is written when it throws. Writes are on disk before anything that the
   * object sends afterwards leaves it (the platform's output gate).
   */
  transact<T>(decide: (transaction: Transaction) => T): T {
    const transaction = new SqlTransaction(this.#storage.sql);
    const result = this.#storage.transactionSync(() => {
      const decided = decide(transaction);
      if (decided instanceof Promise) throw new YaoError('internal', 'a transaction must be decided synchronously');
      return decided;
    });
    transaction.end();
    if (transaction.wrote) this.#setAlarm();
    return result;
  }

  /** Deletes what is due at `nowMs` and sets the alarm for what comes next. */
  deleteDue(nowMs: number): void {
    this.#storage.sql.exec('DELETE FROM records WHERE delete_at_ms <= ?', nowMs);
    this.#alarmAtMs = undefined;
    this.#setAlarm();
  }

  #setAlarm(): void {
    const earliest = this.#storage.sql
      .exec('SELECT MIN(delete_at_ms) AS due FROM records WHERE delete_at_ms IS NOT NULL')
      .one().due;
    if (typeof earliest !== 'number') {
      // An alarm without a record would keep the object's name when nothing else does.
      if (this.#alarmAtMs !== NONE) void this.#storage.deleteAlarm();
      this.#alarmAtMs = NONE;
      return;
    }
    if (this.#alarmAtMs !== undefined && this.#alarmAtMs <= earliest) return;
    this.#alarmAtMs = earliest;
    void this.#storage.setAlarm(earliest);
  }
}

class SqlTransaction implements Transaction {
  readonly #sql: Storage['sql'];
  #ended = false;
  wrote = false;

  constructor(sql: Storage['sql']) {
    this.#sql = sql;
  }

  end(): void {
    this.#ended = true;
  }

  #check(): void {
    if (this.#ended) throw new YaoError('internal', 'this transaction has ended');
  }

  get(table: string, key: string): Uint8Array | undefined {
    this.#check();
    const [row] = this.#sql.exec('SELECT value FROM records WHERE tbl = ? AND key = ?', table, key).toArray();
    return row && new Uint8Array(row.value as ArrayBuffer);
  }

  put(table: string, key: string, value: Uint8Array, deleteAtMs?: number): void {
    this.#check();
    this.wrote = true;
    this.#sql.exec(
      'INSERT OR REPLACE INTO records (tbl, key, value, delete_at_ms) VALUES (?, ?, ?, ?)',
      table,
      key,
      Uint8Array.from(value).buffer,
      deleteAtMs ?? null,
    );
  }

  delete(table: string, key: string): void {
    this.#check();
    this.wrote = true;
    this.#sql.exec('DELETE FROM records WHERE tbl = ? AND key = ?', table, key);
  }

  list(table: string, prefix: string, limit: number): readonly { readonly key: string; readonly value: Uint8Array }[] {
    this.#check();
    return this.#sql
      .exec(
        'SELECT key, value FROM records WHERE tbl = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?',
        table,
        prefix,
        prefix + LAST_CODE_POINT,
        limit,
      )
      .toArray()
      .map((row) => ({ key: row.key as string, value: new Uint8Array(row.value as ArrayBuffer) }));
  }
}
