import type { Transaction } from '@streaming-yao/ceremony/program';

/** One durable record. */
export interface StoredRecord {
  readonly value: Uint8Array;
  readonly deleteAtMs: number | undefined;
}

/** Durable records by table and key, as they survive a crash. */
export type StoreImage = ReadonlyMap<string, StoredRecord>;

const SEPARATOR = '\n';
const nameOf = (table: string, key: string): string => `${table}${SEPARATOR}${key}`;

/** What one transaction has changed; `undefined` stands for a deletion. */
export type Changes = ReadonlyMap<string, StoredRecord | undefined>;

/** Durable records of one object: transactions are atomic, and nothing but them changes anything. */
export class MemoryStore {
  #records: Map<string, StoredRecord>;

  constructor(image: StoreImage = new Map()) {
    this.#records = new Map(image);
  }

  /** Runs `decide`; its writes wait in what is returned, until {@link commit}. */
  decide<T>(decide: (transaction: Transaction) => T): { readonly result: T; readonly changes: Changes } {
    const draft = new Draft(this.#records);
    const result = decide(draft);
    draft.end();
    return { result, changes: draft.changes };
  }

  commit(changes: Changes): void {
    for (const [name, record] of changes) {
      if (record) this.#records.set(name, record);
      else this.#records.delete(name);
    }
  }

  /** When the first record is due. */
  get nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const { deleteAtMs } of this.#records.values()) {
      if (deleteAtMs !== undefined && (next === undefined || deleteAtMs < next)) next = deleteAtMs;
    }
    return next;
  }

  deleteDue(nowMs: number): void {
    for (const [name, { deleteAtMs }] of this.#records) {
      if (deleteAtMs !== undefined && deleteAtMs <= nowMs) this.#records.delete(name);
    }
  }

  get image(): StoreImage {
    return new Map(this.#records);
  }

  get(table: string, key: string): Uint8Array | undefined {
    return this.#records.get(nameOf(table, key))?.value;
  }

  *entries(): Iterable<{ readonly table: string; readonly key: string } & StoredRecord> {
    for (const [name, record] of this.#records) {
      const at = name.indexOf(SEPARATOR);
      yield { table: name.slice(0, at), key: name.slice(at + 1), ...record };
    }
  }
}

/** A transaction that reads what it has written itself and leaves the records alone. */
class Draft implements Transaction {
  readonly #records: StoreImage;
  readonly changes = new Map<string, StoredRecord | undefined>();
  #ended = false;

  constructor(records: StoreImage) {
    this.#records = records;
  }

  end(): void {
    this.#ended = true;
  }

  #find(name: string): StoredRecord | undefined {
    if (this.#ended) throw new Error('a transaction was used after its end');
    return this.changes.has(name) ? this.changes.get(name) : this.#records.get(name);
  }

  get(table: string, key: string): Uint8Array | undefined {
    return this.#find(nameOf(table, key))?.value.slice();
  }

  put(table: string, key: string, value: Uint8Array, deleteAtMs?: number): void {
    this.#find('');
    this.changes.set(nameOf(table, key), { value: value.slice(), deleteAtMs });
  }

  delete(table: string, key: string): void {
    this.#find('');
    this.changes.set(nameOf(table, key), undefined);
  }

  list(table: string, prefix: string, limit: number): readonly { readonly key: string; readonly value: Uint8Array }[] {
    const start = nameOf(table, prefix);
    const names = new Set([...this.#records.keys(), ...this.changes.keys()].filter((name) => name.startsWith(start)));
    return [...names]
      .sort()
      .flatMap((name) => {
        const found = this.#find(name);
        return found ? [{ key: name.slice(table.length + 1), value: found.value.slice() }] : [];
      })
      .slice(0, limit);
  }
}
