import type { Lane } from '@streaming-yao/ceremony/client';
import type { Device } from './device.ts';
import { isSpent, LaneSigner, type SignParts } from './signer.ts';

/** What {@link Wallet.sign} comes to. */
export interface Signed {
  /** A plain RFC 8032 signature, verified. */
  readonly signature: Uint8Array;
  /** Whether commitments were at hand, so that one request was enough. */
  readonly poolHit: boolean;
  /** Requests that were waited for, one after the other: 1 for a hit, 2 for a miss. */
  readonly requests: number;
  /** Commitments that were at hand for later when the answer came. */
  readonly presignsLeft: number;
  /** Of the signing session that it counted in, where it did. */
  readonly usesLeft: number | undefined;
}

/** A lane's signer together with the refills of its stock, of which at most one is under way. */
export class StockedSigner {
  readonly #device: Device;
  readonly #keyIndex: number;
  readonly #signer: LaneSigner;
  #refilling: Promise<void> | undefined;

  constructor(device: Device, lane: Lane) {
    this.#device = device;
    this.#keyIndex = lane.keyIndex;
    this.#signer = new LaneSigner(device.surroundings, lane, device.options.stock);
  }

  get lane(): Lane {
    return this.#signer.lane;
  }

  /** @throws YaoError what the request ended with, or the refill that it had to wait for */
  async sign(message: Uint8Array, named: Omit<SignParts, 'wanted'> = {}): Promise<Signed> {
    try {
      return await this.#signOnce(message, named, 1);
    } catch (error) {
      // An idle SigningWorker is put away with its nonces. That is a miss, and nothing was signed: under fresh nonces, once more.
      if (!isSpent(error)) throw error;
      await this.#refilling?.catch(() => undefined);
      return await this.#signOnce(message, named, 2);
    }
  }

  async #signOnce(message: Uint8Array, named: Omit<SignParts, 'wanted'>, first: number): Promise<Signed> {
    let requests = first;
    for (; !this.#signer.stocked; requests++) await this.refill();
    const wanted = this.#refilling ? 0 : this.#signer.wanted;
    const answered = this.#device.run(this.#signer.sign(message, { ...named, wanted }));
    if (wanted > 0) this.#refillAside(async () => this.#takeIn((await answered).presigns));
    const { signature, usesLeft } = await answered;
    return { signature, poolHit: requests === 1, requests, presignsLeft: this.#signer.held, usesLeft: usesLeft ?? undefined };
  }

  /** Fetches presigns where the stock is low; who comes while that is under way waits for the same ones. */
  refill(): Promise<void> {
    this.#refilling ??= this.#tracked(() => this.#fetch());
    return this.#refilling;
  }

  /** Nobody waits for it: its failure is an event, spoils no signature, and whoever needs presigns then asks again. */
  #refillAside(fill: () => Promise<void>): void {
    this.#refilling = this.#tracked(fill).catch(() => undefined);
  }

  async #takeIn(presigns: Parameters<LaneSigner['takeIn']>[0]): Promise<void> {
    // Points take their time to check, and the caller has a signature to go on with.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (presigns.length > 0) this.#signer.takeIn(presigns);
    await this.#fetch();
  }

  #fetch(): Promise<void> {
    return this.#device.run(this.#signer.refill());
  }

  #tracked(fill: () => Promise<void>): Promise<void> {
    return this.#device.progress.of({ kind: 'refill', keyIndex: this.#keyIndex }, fill).finally(() => {
      this.#refilling = undefined;
    });
  }
}
