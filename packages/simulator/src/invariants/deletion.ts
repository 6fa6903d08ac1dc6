import { LIMITS, STANDARD_SETTINGS } from '@streaming-yao/core';
import type { Actor, ActorRole } from '../actor.ts';
import { type Observer, Violation } from '../observer.ts';
import type { Changes } from '../store.ts';
import { VAULT } from '../vault.ts';
import type { World } from '../world.ts';

/** Tables whose records stay as long as the wallet; all others have an end. */
const LASTING: Readonly<Record<ActorRole, readonly string[]>> = {
  router: ['authority', 'root'],
  'deriver-a': ['authority', 'key'],
  'deriver-b': ['authority', 'key'],
  'signing-worker': ['authority', 'key', 'lane', VAULT],
  client: ['kept'],
};

/** Longest life of anything that has an end: a pairing's. */
const LONGEST_MS = STANDARD_SETTINGS.pairingLifeMs + LIMITS.requestLifeMs;

/** Records are deleted in time: nothing temporary is stored without an end, and at the end nothing temporary is left. */
export class RecordsEnd implements Observer {
  #world: World | undefined;

  committed(actor: Actor, changes: Changes): void {
    const nowMs = this.#world?.clockOf(actor.role);
    for (const [name, record] of changes) {
      const due = record?.deleteAtMs;
      if (nowMs !== undefined && due !== undefined && due > nowMs + LONGEST_MS)
        throw new Violation('deletion', `${actor.name} keeps ${name} for ${due - nowMs} ms`);
    }
  }

  stepped(world: World): void {
    this.#world = world;
  }

  finished(world: World): void {
    world.schedule.clock.passUntil(world.nowMs + LONGEST_MS + STANDARD_SETTINGS.stagedLaneMs);
    for (const actor of world.objects.all) {
      for (const { table, key } of actor.store?.entries() ?? []) {
        if (!LASTING[actor.role].includes(table)) throw new Violation('deletion', `${actor.name} still has ${table} ${key}`);
      }
    }
  }
}
