import type { AuditEvent } from '@streaming-yao/ceremony/role';
import { logFault } from './log.ts';
import type { D1Database } from './platform.ts';

const INSERT = 'INSERT INTO audit (at_ms, wallet_id, event, ceremony_id, outcome) VALUES (?, ?, ?, ?, ?)';

const NEWEST = 'SELECT at_ms, event, ceremony_id, outcome FROM audit WHERE wallet_id = ? ORDER BY at_ms DESC, id DESC LIMIT ?';

interface Row {
  readonly at_ms: number;
  readonly event: string;
  readonly ceremony_id: string | null;
  readonly outcome: string;
}

/**
 * Writes events after their answers, in batches: while one batch is being written the next gathers, so the trail costs
 * an answer nothing. Events of a process that dies at once are lost.
 */
export class AuditTrail {
  readonly #database: D1Database;
  #gathering: AuditEvent[] = [];
  #writing: Promise<void> | undefined;

  constructor(database: D1Database) {
    this.#database = database;
  }

  /** @returns settles when the event has been written or its loss logged */
  note(event: AuditEvent): Promise<void> {
    this.#gathering.push(event);
    this.#writing ??= this.#writeAll();
    return this.#writing;
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

  async #writeAll(): Promise<void> {
    // Lets the answers leave first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (this.#gathering.length > 0) {
      const batch = this.#gathering;
      this.#gathering = [];
      const statement = this.#database.prepare(INSERT);
      const rows = batch.map((e) => statement.bind(e.atMs, e.walletId, e.event, e.ceremonyId, e.outcome));
      await this.#database.batch(rows).catch((error: unknown) => logFault({ event: 'audit-lost', role: 'router' }, error));
    }
    this.#writing = undefined;
  }
}
