import type { Lane } from '@streaming-yao/ceremony/client';
import type { Presign } from '@streaming-yao/wire';
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

/** A SigningWorker that nobody asks for this long may be put away, and its nonces with it. */
const IDLE_MS = 10_000;
/** Once with what was in stock, once with what was under way when the SigningWorker lost its memory, once with what it made afterwards. */
const MOST_TRIES = 3;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A lane's signer together with the refills of its stock, of which at most one is under way. */
export class StockedSigner {
  readonly #device: Device;
  readonly #keyIndex: number;
  readonly #signer: LaneSigner;
  #refilling: Promise<void> | undefined;
  /** Signatures that wait for a refill. */
  #waiting = 0;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

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
    // What is in stock may be worth nothing by now: one fresh presign is fetched beside, so that finding out costs no time.
    if (this.#signer.stocked && this.#idle) this.#refillAside(() => this.#fetch(1));
    for (let tried = 1; ; tried++) {
      try {
        return await this.#signOnce(message, named, tried);
      } catch (error) {
        // That is a miss, and nothing was signed: under fresh nonces, once more.
        if (!isSpent(error) || tried === MOST_TRIES) throw error;
        await this.#refilling?.catch(() => undefined);
      }
    }
  }

  get #idle(): boolean {
    return this.#device.surroundings.now() - this.#answeredAtMs >= IDLE_MS;
  }

  async #signOnce(message: Uint8Array, named: Omit<SignParts, 'wanted'>, first: number): Promise<Signed> {
    let requests = first;
    for (; !this.#signer.stocked; requests++) await this.#awaitPresign();
    const wanted = this.#refilling ? 0 : this.#signer.wanted;
    const answered = this.#device.run(this.#signer.sign(message, { ...named, wanted }));
    this.#prepareAside();
    if (wanted > 0) this.#refillAside(async () => this.#fillUp((await answered).presigns));
    const { signature, usesLeft } = await answered;
    this.#answeredAtMs = this.#device.surroundings.now();
    return { signature, poolHit: requests === 1, requests, presignsLeft: this.#signer.held, usesLeft: usesLeft ?? undefined };
  }

  /** While a request is on its way, for the signature after it. Whoever signs next learns of a failure. */
  #prepareAside(): void {
    const prepared = pause().then(() => this.#signer.prepareAhead());
    prepared.catch(() => undefined);
  }

  /** Fetches what those need that wait, and one for who comes next: a whole block takes its time to make and to check. */
  async #awaitPresign(): Promise<void> {
    this.#waiting++;
    try {
      this.#refilling ??= this.#tracked(() => this.#fetch(this.#waiting + 1));
      this.#prepareAside();
      await this.#refilling;
    } finally {
      this.#waiting--;
    }
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

  /** Takes in what came with a signature once that is delivered, and fetches what is missing still. */
  async #fillUp(presigns: readonly Presign[]): Promise<void> {
    if (presigns.length > 0) await pause();
    await this.#takeIn(presigns);
    await this.#fetch();
  }

  /** @param count how many to fetch, if not as many as the stock has room for */
  async #fetch(count = this.#signer.wanted): Promise<void> {
    if (count > 0) await this.#takeIn(await this.#device.run(this.#signer.fetch(count)));
    this.#answeredAtMs = this.#device.surroundings.now();
    this.#signer.requireStock();
  }

  /** Points take their time to check, and where nobody waits for them, others may have something to do meanwhile. */
  async #takeIn(presigns: readonly Presign[]): Promise<void> {
    for (const [i, presign] of presigns.entries()) {
      if (i > 0 && this.#waiting === 0) await pause();
      this.#signer.takeIn(presign);
    }
  }

  #tracked(fill: () => Promise<void>): Promise<void> {
    return this.#device.progress.of({ kind: 'refill', keyIndex: this.#keyIndex }, fill).finally(() => {
      this.#refilling = undefined;
    });
  }
}
