import type { Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { LIMITS, STANDARD_SETTINGS, utf8 } from '@streaming-yao/core';
import type { Actor, ActorRole } from '../actor.ts';
import { laneRows } from '../lane-row.ts';
import { type Observer, Violation } from '../observer.ts';
import type { Changes } from '../store.ts';
import { tagOf, VAULT } from '../vault.ts';
import { lanesOf } from '../workload/lanes.ts';
import { ownLane } from '../workload/obtain.ts';
import { sign } from '../workload/sign.ts';
import type { Wallet } from '../workload/wallet.ts';
import type { World } from '../world.ts';

/**
 * Tables whose records stay as long as the wallet, or (`authority-change`, `notice`) until its next ceremony finishes what they
 * note; all others have an end.
 */
const LASTING: Readonly<Record<ActorRole, readonly string[]>> = {
  router: ['authority', 'root', 'authority-change', 'notice'],
  'deriver-a': ['authority', 'key', 'pending-key'],
  'deriver-b': ['authority', 'key', 'pending-key'],
  'signing-worker': ['authority', 'key', 'lane', 'share', VAULT],
  client: ['kept'],
};

/** Longest life of anything that has an end: a pairing's. */
const LONGEST_MS = STANDARD_SETTINGS.pairingLifeMs + LIMITS.requestLifeMs;

/** Records are deleted in time: nothing temporary is stored without an end, and at the end nothing temporary is left. */
export class RecordsEnd implements Observer {
  readonly #devices: readonly Wallet[];
  #world: World | undefined;

  constructor(devices: readonly Wallet[]) {
    this.#devices = devices;
  }

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

  async finished(world: World): Promise<void> {
    await world.drain(LONGEST_MS);
    // Shares are erased when their object wakes.
    for (const actor of world.objects.all) actor.evict();
    for (const device of this.#devices) {
      const { actor, surroundings } = world.client(device.device);
      await world.settle(world.start(actor, 'wake', lanesOf(surroundings, device)));
      await world.settle(world.start(actor, 'wake', this.#sign(surroundings, device)));
    }
    await world.drain(1000);
    for (const actor of world.objects.all) {
      const shares = sharesOf(actor);
      for (const { table, key, value } of actor.store?.entries() ?? []) {
        if (!LASTING[actor.role].includes(table)) throw new Violation('deletion', `${actor.name} still has ${table} ${key}`);
        const share = table === 'share' ? key : table === VAULT ? `${key} ${tagOf(value)}` : undefined;
        if (share !== undefined && !shares.has(share))
          throw new Violation('deletion', `${actor.name} still has the share ${share}`);
      }
    }
  }

  *#sign(s: ClientSurroundings, device: Wallet): Program<unknown> {
    return yield* sign(s, yield* ownLane(device), utf8('wake up'));
  }
}

/** Where the shares of the active lanes lie: slot and tag. */
function sharesOf(actor: Actor): ReadonlySet<string> {
  if (actor.role !== 'signing-worker') return new Set();
  const rows = laneRows(actor, 'lane');
  return new Set(rows.map(({ walletId, name, epoch, ceremonyId }) => `${walletId}/${name}/${epoch % 2} ${ceremonyId}`));
}
