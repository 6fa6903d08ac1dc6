import type { SecretBytes } from '@streaming-yao/core';

/** Where a device keeps its secret records; an adapter seals them as its platform allows. */
export interface Storage {
  get(name: string): Promise<SecretBytes | undefined>;
  /** Durable when the promise is fulfilled; `undefined` deletes. */
  set(name: string, secret: SecretBytes | undefined): Promise<void>;
  /** Names that start with `prefix`. */
  names(prefix: string): Promise<readonly string[]>;
}

/** Forgets everything with the process. */
export function memoryStorage(): Storage {
  const records = new Map<string, SecretBytes>();
  return {
    get: async (name) => records.get(name)?.map((bytes) => bytes.slice()),
    set: async (name, secret) => {
      records.get(name)?.wipe();
      if (secret)
        records.set(
          name,
          secret.map((bytes) => bytes.slice()),
        );
      else records.delete(name);
    },
    names: async (prefix) => [...records.keys()].filter((name) => name.startsWith(prefix)),
  };
}
