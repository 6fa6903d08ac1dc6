import { SecretBytes, utf8, YaoError } from '@streaming-yao/core';
import type { Storage } from './storage.ts';

const KEYS = 'keys';
const RECORDS = 'records';
const SEALING_KEY = 'sealing';
const NONCE_BYTES = 12;
/** Greater than every character of a record's name. */
const LAST = '\uffff';

interface SealedRecord {
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

/**
 * Keeps records in IndexedDB, each sealed with AES-256-GCM under a key that the browser never gives out (its additional data
 * are the record's name). Tabs of one origin share it.
 * @param name of the database
 */
export async function indexedDbStorage(name = 'streaming-yao'): Promise<Storage> {
  const database = await openDatabase(name);
  const key = await sealingKey(database);
  let last: Promise<unknown> = Promise.resolve();
  /** One write after the other: sealing takes its time, and a later record must not be overtaken by an earlier one. */
  const inOrder = <T>(write: () => Promise<T>): Promise<T> => {
    const written = last.then(write);
    last = written.catch(() => undefined);
    return written;
  };
  return {
    get: async (record) => {
      const found = await inTransaction(database, RECORDS, 'readonly', (store) => store.get(record));
      return found && unseal(key, record, found as SealedRecord);
    },
    set: (record, secret) =>
      inOrder(async () => {
        const sealed = secret && (await seal(key, record, secret));
        const write = (store: IDBObjectStore): Pick<IDBRequest, 'result'> =>
          sealed ? store.put(sealed, record) : store.delete(record);
        await inTransaction(database, RECORDS, 'readwrite', write);
      }),
    names: async (prefix) => {
      const range = IDBKeyRange.bound(prefix, prefix + LAST);
      return (await inTransaction(database, RECORDS, 'readonly', (store) => store.getAllKeys(range))) as string[];
    },
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(KEYS);
    opening.result.createObjectStore(RECORDS);
  };
  return settled(opening);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(unavailable());
  });
}

/** Settles when the transaction is on disk. */
function inTransaction<T>(
  database: IDBDatabase,
  name: string,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => Pick<IDBRequest<T>, 'result'>,
): Promise<T> {
  const transaction = database.transaction(name, mode, { durability: 'strict' });
  const request = act(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(unavailable());
    transaction.onabort = () => reject(unavailable());
  });
}

function unavailable(): YaoError {
  const why = 'this browser does not keep the wallet’s records: allow this site to store data, or free some space';
  return new YaoError('unlock_failed', why, { party: 'client' });
}

/** Of two tabs that begin at once, one makes the key for both. */
async function sealingKey(database: IDBDatabase): Promise<CryptoKey> {
  const found = await inTransaction(database, KEYS, 'readonly', (store) => store.get(SEALING_KEY));
  if (found) return found as CryptoKey;
  const fresh = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(KEYS, 'readwrite', { durability: 'strict' });
    const store = transaction.objectStore(KEYS);
    const existing = store.get(SEALING_KEY);
    existing.onsuccess = () => {
      if (!existing.result) store.put(fresh, SEALING_KEY);
    };
    transaction.oncomplete = () => resolve((existing.result as CryptoKey | undefined) ?? fresh);
    transaction.onabort = () => reject(unavailable());
  });
}

const algorithm = (name: string, nonce: Uint8Array<ArrayBuffer>) =>
  ({ name: 'AES-GCM', iv: nonce, additionalData: utf8(name) as BufferSource }) as const;

async function seal(key: CryptoKey, name: string, secret: SecretBytes): Promise<SealedRecord> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await secret.use((bytes) => crypto.subtle.encrypt(algorithm(name, nonce), key, bytes as BufferSource));
  return { nonce, sealed };
}

async function unseal(key: CryptoKey, name: string, { nonce, sealed }: SealedRecord): Promise<SecretBytes> {
  try {
    return SecretBytes.own(new Uint8Array(await crypto.subtle.decrypt(algorithm(name, nonce), key, sealed)));
  } catch {
    throw new YaoError('unlock_failed', 'a record of this browser does not open; recover the wallet on this device', {
      party: 'client',
    });
  }
}
