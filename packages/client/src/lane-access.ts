import type { Device } from './device.ts';
import { wipeLane } from './lane-record.ts';
import { StockedSigner } from './stocked-signer.ts';

/** One key's lane on this device: many may sign with it at once, one operation at a time may change it. */
export class LaneAccess {
  readonly #device: Device;
  readonly #keyIndex: number;
  readonly #using = new Set<Promise<unknown>>();
  #signer: StockedSigner | undefined;
  #changing: Promise<unknown> = Promise.resolve();
  #replacing: Promise<unknown> = Promise.resolve();

  constructor(device: Device, keyIndex: number) {
    this.#device = device;
    this.#keyIndex = keyIndex;
  }

  /** Runs `act` after the operations that were begun before. */
  change<T>(act: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(act);
    this.#changing = changed.then(
      () => this.stockAside(),
      () => undefined,
    );
    return changed;
  }

  /**
   * Uses the lane as it stands. Waits while it is being replaced, and for the first one while that is being made.
   * @throws YaoError `not_ready` without a lane on this device
   */
  async use<T>(act: (signer: StockedSigner) => Promise<T>): Promise<T> {
    if (!this.#signer && !(await this.#device.laneIfAny(this.#keyIndex))) await this.#changing;
    await this.#unreplaced();
    const used = this.#current().then(act);
    const ended: Promise<unknown> = used.then(
      () => this.#using.delete(ended),
      () => this.#using.delete(ended),
    );
    this.#using.add(ended);
    return used;
  }

  /** Fetches commitments ahead where few are at hand. */
  stock(): Promise<void> {
    return this.use((signer) => signer.refill());
  }

  /** Does so while nobody waits, where the app wants it and this device has a lane; a failure is an event, and the next signature asks again. */
  stockAside(): void {
    if (!this.#device.options.prefetch) return;
    const stock = async (): Promise<void> => {
      if (await this.#device.laneIfAny(this.#keyIndex)) await this.stock();
    };
    stock().catch(() => undefined);
  }

  /** Lets `act` replace the lane once nobody uses it, so that no signature under way loses its epoch. */
  replace<T>(act: () => Promise<T>): Promise<T> {
    const replaced = this.#replacing.then(() => Promise.all(this.#using)).then(act);
    this.#replacing = replaced.then(
      () => this.forget(),
      () => this.forget(),
    );
    return replaced;
  }

  /** The lane's epoch that was used last. */
  get epoch(): { readonly lane: number; readonly epoch: number } | undefined {
    return this.#signer?.lane;
  }

  /** Reads the lane anew next time; what is in memory of it is wiped as soon as nobody uses it. */
  forget(): void {
    const signer = this.#signer;
    this.#signer = undefined;
    if (signer) void Promise.all(this.#using).then(() => signer.drop());
  }

  async #unreplaced(): Promise<void> {
    for (let seen: unknown; seen !== this.#replacing; ) {
      seen = this.#replacing;
      await seen;
    }
  }

  async #current(): Promise<StockedSigner> {
    if (this.#signer) return this.#signer;
    const lane = await this.#device.takeLane(this.#keyIndex);
    // Of two that read the lane at once, both get the first one's signer, and with it one stock.
    if (this.#signer) wipeLane(lane);
    else this.#signer = new StockedSigner(this.#device, lane);
    return this.#signer;
  }
}
