import type { Lane } from '@streaming-yao/ceremony/client';
import type { Presign } from '@streaming-yao/wire';
import type { Device } from './device.ts';
import { type Answered, isSpent, LaneSigner, type SignParts } from './signer.ts';

/** What {@link Wallet.sign} comes to. */
export interface Signed {
  /** A plain RFC 8032 signature, verified. */
  readonly signature: Uint8Array;
  /** Whether it was made under a presign that was at hand. */
  readonly poolHit: boolean;
  /** Requests that were waited for, one after the other: 1, or 2 where what was at hand had been forgotten by the SigningWorker. */
  readonly requests: number;
  /** Commitments that were at hand for later when the answer came. */
  readonly presignsLeft: number;
  /** Of the signing session that it counted in, where it did. */
  readonly usesLeft: number | undefined;
}

/** A SigningWorker that nobody asks for this long may be put away, and its nonces with it. */
const IDLE_MS = 10_000;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A lane's signer together with the refills of its stock, of which at most one is under way. */
export class StockedSigner {
  readonly #device: Device;
  readonly #keyIndex: number;
  readonly #signer: LaneSigner;
  #refilling: Promise<void> | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(device: Device, lane: Lane) {
    this.#device = device;
    this.#keyIndex = lane.keyIndex;
    this.#signer = new LaneSigner(device.surroundings, lane, device.options.stock);
  }

  get lane(): Lane {
    return this.#signer.lane;
  }

  /** Ends this signer, which nobody signs with any more; a refill under way comes to its end first. */
  async drop(): Promise<void> {
    await this.#refilling?.catch(() => undefined);
    this.#signer.drop();
  }

  /** @throws YaoError what the request ended with */
  async sign(message: Uint8Array, parts: SignParts = {}): Promise<Signed> {
    // What is in stock may be worth nothing by now, and a signature without it takes one request for certain.
    if (!this.#signer.stocked || this.#idle) return this.#miss(message, parts, 1);
    try {
      return await this.#hit(message, parts);
    } catch (error) {
      // Nothing was signed: under fresh nonces, once more.
      if (isSpent(error)) return this.#miss(message, parts, 2);
      throw error;
    }
  }

  get #idle(): boolean {
    return this.#device.surroundings.now() - this.#answeredAtMs >= IDLE_MS;
  }

  async #hit(message: Uint8Array, parts: SignParts): Promise<Signed> {
    const wanted = this.#refilling ? 0 : this.#signer.wanted;
    const answered = this.#device.run(this.#signer.sign(message, parts, wanted));
    if (wanted > 0) this.#refillAside(async () => this.#fillUp((await answered).presigns));
    return this.#outcome(answered, { poolHit: true, requests: 1 });
  }

  async #miss(message: Uint8Array, parts: SignParts, requests: number): Promise<Signed> {
    const answered = this.#device.run(this.#signer.signWithoutPresign(message, parts));
    const signed = await this.#outcome(answered, { poolHit: false, requests });
    if (this.#signer.wanted > 0) this.#refillAside(() => this.#fillUp([]));
    return signed;
  }

  async #outcome(answered: Promise<Answered>, how: Pick<Signed, 'poolHit' | 'requests'>): Promise<Signed> {
    this.#prepareAside();
    const { signature, usesLeft } = await answered;
    this.#answeredAtMs = this.#device.surroundings.now();
    return { signature, ...how, presignsLeft: this.#signer.held, usesLeft: usesLeft ?? undefined };
  }

  /** While a request is on its way, for the signature after it. Whoever signs next learns of a failure. */
  #prepareAside(): void {
    const prepared = pause().then(() => this.#signer.prepareAhead());
    prepared.catch(() => undefined);
  }

  /** Fetches presigns where the stock is low; who comes while that is under way waits for the same ones. */
  refill(): Promise<void> {
    this.#refilling ??= this.#tracked(() => this.#fetch());
    return this.#refilling;
  }

  /** Nobody waits for it: its failure is an event, spoils no signature, and whoever needs presigns then asks again. */
  #refillAside(fill: () => Promise<void>): void {
    this.#refilling ??= this.#tracked(fill).catch(() => undefined);
  }

  /** Takes in what came with a signature, and fetches what is missing still; but who signs again at once goes first. */
  async #fillUp(presigns: readonly Presign[]): Promise<void> {
    await pause();
    await this.#takeIn(presigns);
    await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { wanted } = this.#signer;
    if (wanted === 0) return;
    await this.#takeIn(await this.#device.run(this.#signer.fetch(wanted)));
    this.#answeredAtMs = this.#device.surroundings.now();
    this.#signer.requireStock();
  }

  /** Points take their time to check, and others may have something to do meanwhile. */
  async #takeIn(presigns: readonly Presign[]): Promise<void> {
    for (const [i, presign] of presigns.entries()) {
      if (i > 0) await pause();
      this.#signer.takeIn(presign);
    }
  }

  #tracked(fill: () => Promise<void>): Promise<void> {
    return this.#device.progress.of({ kind: 'refill', keyIndex: this.#keyIndex }, fill).finally(() => {
      this.#refilling = undefined;
    });
  }
}
