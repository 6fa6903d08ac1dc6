import type { AuditEvent, NumberedEvent } from '@streaming-yao/ceremony/role';
import { logFault } from './log.ts';
import type { D1Database } from './platform.ts';

/** One statement for a whole batch: a list of rows as JSON, in their order. */
const INSERT = `INSERT INTO audit (at_ms, wallet_id, event, ceremony_id, outcome, receipt)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?)`;

const NEWEST = 'SELECT at_ms, event, ceremony_id, outcome FROM audit WHERE wallet_id = ? ORDER BY at_ms DESC, id DESC LIMIT ?';

const OLDEST =
  'SELECT id, at_ms, event, ceremony_id, outcome, receipt FROM audit WHERE wallet_id = ? AND id > ? ORDER BY id LIMIT ?';

const FORGET = 'DELETE FROM audit WHERE wallet_id = ?';

interface Row {
  readonly at_ms: number;
  readonly event: string;
  readonly ceremony_id: string | null;
  readonly outcome: string;
}

interface NumberedRow extends Row {
  readonly id: number;
  readonly receipt: string | null;
}

/** How long events gather where requests are many and each has little time: they are lost with a process that dies meanwhile. */
const GATHERING_MS = 500;
/** A batch that takes longer was broken off with the request that wrote it. */
const LONGEST_BATCH_MS = 10_000;

const LARGEST_BATCH = 200;

const TRAIL = 'audit trail';

/** The trail of one place. @param gathers whether events of many requests are to come together before they are written */
export function trailIn(memory: Map<string, unknown>, database: D1Database, gathers: boolean): AuditTrail {
  const known = (memory.get(TRAIL) as AuditTrail | undefined) ?? new AuditTrail(database, gathers ? GATHERING_MS : 0);
  memory.set(TRAIL, known);
  return known;
}

/**
 * Writes events after their answers, in batches: while one batch is being written the next gathers, so the trail costs
 * an answer nothing. Events of a process that dies at once are lost.
 */
export class AuditTrail {
  readonly #database: D1Database;
  readonly #gathering: AuditEvent[] = [];
  #writing: Promise<void> | undefined;
  #writingSinceMs = 0;
  readonly #gatheringMs: number;

  constructor(database: D1Database, gatheringMs: number) {
    this.#database = database;
    this.#gatheringMs = gatheringMs;
  }

  /** @returns settles when whoever writes now has written; at once where another request does, which on Workers none may wait for */
  async note(event: AuditEvent): Promise<void> {
    this.#gathering.push(event);
    if (this.#writing && Date.now() - this.#writingSinceMs < LONGEST_BATCH_MS) return;
    this.#writingSinceMs = Date.now();
    this.#writing = this.#writeAll();
    await this.#writing;
  }

  /** The newest events of a wallet, newest first; those of this instance that are still being written count. */
  async newest(walletId: string, limit: number): Promise<readonly AuditEvent[]> {
    await this.#writing;
    const { results } = await this.#database.prepare(NEWEST).bind(walletId, limit).all<Row>();
    return results.map(({ at_ms: atMs, event, ceremony_id: ceremonyId, outcome }) => ({
      atMs,
      walletId,
      event,
      ceremonyId,
      outcome,
    }));
  }

  /** A wallet's events behind number `after`, oldest first, with their receipts. */
  async behind(walletId: string, after: number, limit: number): Promise<readonly NumberedEvent[]> {
    await this.#writing;
    const { results } = await this.#database.prepare(OLDEST).bind(walletId, after, limit).all<NumberedRow>();
    return results.map(({ id, at_ms: atMs, event, ceremony_id: ceremonyId, outcome, receipt }) => ({
      id,
      event: { atMs, walletId, event, ceremonyId, outcome, receipt: receipt ?? undefined },
    }));
  }

  /** Deletes a wallet's events. @returns how many there were */
  async forget(walletId: string): Promise<number> {
    // What other places have gathered before is in the database by then.
    await new Promise((resolve) => setTimeout(resolve, 2 * GATHERING_MS));
    await this.#writing;
    const { meta } = await this.#database.prepare(FORGET).bind(walletId).run();
    return meta.changes;
  }

  async #writeAll(): Promise<void> {
    while (this.#gathering.length > 0) {
      // Lets the answers leave first.
      await new Promise((resolve) => setTimeout(resolve, this.#gatheringMs));
      const batch = this.#gathering.splice(0, LARGEST_BATCH);
      const rows = batch.map((e) => [e.atMs, e.walletId, e.event, e.ceremonyId, e.outcome, e.receipt ?? null]);
      const written = this.#database.prepare(INSERT).bind(JSON.stringify(rows)).run();
      await written.catch((error: unknown) => logFault({ event: 'audit-lost', role: 'router' }, error));
    }
    this.#writing = undefined;
  }
}
