import type { Prices } from './prices.ts';

/** What one operation uses of the hosted platform, beside CPU. */
export interface Usage {
  /** Requests from outside; calls by service bindings are not charged. */
  readonly requests: number;
  /** Without alarms: one deletes whatever is due by then. */
  readonly objectRequests: number;
  /** Incoming WebSocket messages of objects. */
  readonly objectMessages: number;
  /** Milliseconds for which objects were active, added up over objects. */
  readonly objectActiveMs: number;
  readonly objectRowsRead: number;
  /** With alarms set, and with the later deletion of what has a deletion time. */
  readonly objectRowsWritten: number;
  readonly databaseRowsRead: number;
  readonly databaseRowsWritten: number;
  /** What stays in objects and in the database. */
  readonly objectBytes: number;
  readonly databaseBytes: number;
}

export const USAGE_FIELDS = [
  'requests',
  'objectRequests',
  'objectMessages',
  'objectActiveMs',
  'objectRowsRead',
  'objectRowsWritten',
  'databaseRowsRead',
  'databaseRowsWritten',
  'objectBytes',
  'databaseBytes',
] as const satisfies readonly (keyof Usage)[];

/**
 * USD for a million ceremonies, by the public reference's model: the CPU of both Derivers and one request each, gross, before
 * what a plan includes.
 * @param cpuMs of both Derivers in one ceremony
 */
export function costUsdPerMillion(cpuMs: number, { workers }: Prices): number {
  return cpuMs * workers.usdPerMillionCpuMs + workers.usdPerMillionRequests;
}

/** One line of a bill: USD for a million operations. */
export type Bill = Readonly<Record<string, number>>;

const BYTES_PER_GB = 1e9;

/** USD for what a million operations use beside CPU; storage for one month. */
export function hostedBill(usage: Usage, { workers, objects, rows, storage }: Prices): Bill {
  const gbSeconds = (usage.objectActiveMs / 1000) * objects.gbPerObject;
  const perMillion = (bytes: number): number => (bytes * 1e6) / BYTES_PER_GB;
  return {
    requests: usage.requests * workers.usdPerMillionRequests,
    'object requests': (usage.objectRequests + usage.objectMessages / objects.messagesPerRequest) * objects.usdPerMillionRequests,
    'object duration': gbSeconds * objects.usdPerMillionGbSeconds,
    'object rows read': usage.objectRowsRead * rows.usdPerMillionRead,
    'object rows written': usage.objectRowsWritten * rows.usdPerMillionWritten,
    'database rows read': usage.databaseRowsRead * rows.usdPerMillionRead,
    'database rows written': usage.databaseRowsWritten * rows.usdPerMillionWritten,
    'object storage, a month': perMillion(usage.objectBytes) * storage.usdPerGbMonthObjects,
    'database storage, a month': perMillion(usage.databaseBytes) * storage.usdPerGbMonthDatabase,
  };
}

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, usd) => sum + usd, 0);
