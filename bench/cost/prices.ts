import { readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * What Cloudflare charged on one day beyond the amounts that a plan includes, in US dollars: the planning snapshot of the
 * public reference for `workers`, the provider's pages on Durable Objects and D1 for the rest.
 */
export interface Prices {
  readonly date: string;
  readonly workers: { readonly usdPerMillionRequests: number; readonly usdPerMillionCpuMs: number };
  readonly objects: {
    readonly usdPerMillionRequests: number;
    readonly usdPerMillionGbSeconds: number;
    /** Memory that an object is charged for while it is active, used or not. */
    readonly gbPerObject: number;
    /** Incoming WebSocket messages that are charged as one request. */
    readonly messagesPerRequest: number;
  };
  /** Of Durable Objects in SQLite and of D1 alike. */
  readonly rows: { readonly usdPerMillionRead: number; readonly usdPerMillionWritten: number };
  readonly storage: { readonly usdPerGbMonthObjects: number; readonly usdPerGbMonthDatabase: number };
}

export const SNAPSHOT_FILE = path.join(import.meta.dirname, 'prices.json');

/** @throws Error when the file has not exactly the fields of the snapshot, or one that is not a price */
export async function readPrices(file: string = SNAPSHOT_FILE): Promise<Prices> {
  const [snapshot, prices] = await Promise.all(
    [SNAPSHOT_FILE, file].map(async (name) => JSON.parse(await readFile(name, 'utf8'))),
  );
  requireShape(snapshot, prices, file);
  if (!/^\d{4}-\d\d-\d\d$/.test(prices.date)) throw new Error(`${file}: date is not like 2026-07-17`);
  return prices;
}

function requireShape(expected: unknown, found: unknown, place: string): void {
  if (typeof expected !== 'object' || expected === null) {
    const isPrice = typeof found === 'number' && Number.isFinite(found) && found >= 0;
    if (typeof expected === 'number' ? isPrice : typeof found === 'string') return;
    throw new Error(`${place}: expected ${typeof expected === 'number' ? 'a number from 0' : 'text'}`);
  }
  if (typeof found !== 'object' || found === null) throw new Error(`${place}: expected an object`);
  const names = Object.keys(expected);
  if (Object.keys(found).sort().join() !== names.toSorted().join()) {
    throw new Error(`${place}: expected exactly the fields ${names.join(', ')}`);
  }
  for (const name of names) {
    requireShape((expected as Record<string, unknown>)[name], (found as Record<string, unknown>)[name], `${place}: ${name}`);
  }
}
