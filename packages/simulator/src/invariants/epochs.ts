import type { KeyLanes, Lane } from '@streaming-yao/ceremony/client';
import { equalBytes, SecretBytes, toHex, utf8 } from '@streaming-yao/core';
import type { Actor } from '../actor.ts';
import { laneRows } from '../lane-row.ts';
import { type Observer, Violation } from '../observer.ts';
import type { Changes } from '../store.ts';
import { lanesOf } from '../workload/lanes.ts';
import { decodeLane, isLane, recallLane } from '../workload/records.ts';
import { sign } from '../workload/sign.ts';
import type { Wallet } from '../workload/wallet.ts';
import type { World } from '../world.ts';

const named = ({ walletId, lane, epoch, ceremonyId }: Lane): string => `${walletId}/${lane}/${epoch} ${toHex(ceremonyId)}`;

/**
 * One epoch of a lane signs: the one that device and SigningWorker both have. Not none, and no other that a device ever held.
 */
export class OneEpochSigns implements Observer {
  readonly #devices: readonly Wallet[];
  /** Every share that a device ever stored, encoded. */
  readonly #held = new Map<string, Uint8Array>();
  readonly #retired = new Set<string>();

  constructor(devices: readonly Wallet[]) {
    this.#devices = devices;
  }

  committed(actor: Actor, changes: Changes): void {
    for (const [name, record] of changes) {
      if (actor.role === 'client' && record && isLane(name.slice('kept\n'.length))) this.#hold(record.value);
      if (actor.role === 'signing-worker' && name.startsWith('lane\n'))
        this.#place(`${actor.name} ${name.slice('lane\n'.length)}`, record !== undefined);
    }
  }

  #hold(record: Uint8Array): void {
    this.#held.set(named(decodeLane(SecretBytes.copy(record))), record);
  }

  #place(lane: string, taken: boolean): void {
    if (!taken) this.#retired.add(lane);
    else if (this.#retired.has(lane)) throw new Violation('epochs', `retired lane ${lane} came back`);
  }

  /** To be asked when nothing fails any more and all devices have resumed. */
  async finished(world: World): Promise<void> {
    const asker = this.#devices[0] as Wallet;
    const held = [...this.#held.values()].map((record) => decodeLane(SecretBytes.copy(record)));
    if (held.length === 0) return;
    const { lanes } = (await ask(world, asker, (s) => lanesOf(s, asker))) as KeyLanes;
    // A share that waits for its confirmation may still become the lane's; to try it would be to confirm it.
    const signingWorker = world.objects.of('signing-worker', `wallet-${asker.walletId}`);
    const waiting = new Set(laneRows(signingWorker, 'staged').map(({ ceremonyId }) => ceremonyId));
    for (const lane of held) {
      if (waiting.has(toHex(lane.ceremonyId))) continue;
      const current = lanes.some(
        ({ lane: number, epoch, ceremonyId }) =>
          number === lane.lane && epoch === lane.epoch && equalBytes(ceremonyId, lane.ceremonyId),
      );
      const signs = await this.#signs(world, asker, lane);
      if (current && !signs) throw new Violation('epochs', `${named(lane)} does not sign`);
      if (!current && signs) throw new Violation('epochs', `${named(lane)} signs although it is over`);
    }
    for (const device of this.#devices) {
      const own = (await ask(world, device, () => recallLane(device.walletId))) as Lane | undefined;
      const known = own && lanes.find(({ lane }) => lane === own.lane);
      if (own && known && known.epoch !== own.epoch) {
        throw new Violation('epochs', `${device.device.name} holds ${named(own)}, the SigningWorker epoch ${known.epoch}`);
      }
    }
  }

  async #signs(world: World, device: Wallet, lane: Lane): Promise<boolean> {
    const { actor, surroundings } = world.client(device.device);
    const outcome = await world.settle(world.start(actor, 'try', sign(surroundings, lane, utf8('who signs?'))));
    return 'value' in outcome;
  }
}

/** What a program of the device's gives. @throws what it throws */
async function ask(
  world: World,
  device: Wallet,
  program: (s: ReturnType<World['client']>['surroundings']) => Parameters<World['start']>[2],
): Promise<unknown> {
  const { actor, surroundings } = world.client(device.device);
  const outcome = await world.settle(world.start(actor, 'ask', program(surroundings)));
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
