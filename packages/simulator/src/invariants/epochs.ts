import type { Lane } from '@streaming-yao/ceremony/client';
import type { Effect } from '@streaming-yao/ceremony/program';
import { SecretBytes, toHex, utf8 } from '@streaming-yao/core';
import type { LanesAnswer } from '@streaming-yao/wire';
import type { Actor } from '../actor.ts';
import { type Observer, Violation } from '../observer.ts';
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

  constructor(devices: readonly Wallet[]) {
    this.#devices = devices;
  }

  performing(_: Actor, effect: Effect): void {
    if (effect.kind !== 'keep' || !effect.secret || !isLane(effect.name)) return;
    this.#held.set(
      named(decodeLane(effect.secret)),
      effect.secret.use((bytes) => bytes.slice()),
    );
  }

  /** To be asked when nothing fails any more and all devices have resumed. */
  async finished(world: World): Promise<void> {
    const current = new Set<string>();
    for (const device of this.#devices) {
      const lane = (await ask(world, device, () => recallLane(device.walletId))) as Lane | undefined;
      if (!lane) continue;
      const { lanes } = (await ask(world, device, (s) => lanesOf(s, device))) as LanesAnswer;
      const known = lanes.find((candidate) => candidate.lane === lane.lane);
      if (!known) continue;
      current.add(named(lane));
      if (!(await this.#signs(world, device, lane)))
        throw new Violation('epochs', `${named(lane)} does not sign; the SigningWorker stands at epoch ${known.epoch}`);
    }
    for (const [name, record] of this.#held) {
      const lane = decodeLane(SecretBytes.copy(record));
      const device = this.#devices.find(({ walletId }) => walletId === lane.walletId);
      if (current.has(name) || !device) continue;
      if (await this.#signs(world, device, lane)) throw new Violation('epochs', `${name} signs although it is over`);
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
