import { SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import { PresignPool, type PresignPoolLane } from '@streaming-yao/signing';
import {
  PrepareAnswer,
  PrepareRequest,
  type Presign,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SignRequest,
} from '@streaming-yao/wire';
import { Device, type DeviceOptions } from '../src/device.ts';
import { ed25519Credential, memoryStorage, type RouterConnection, Wallet, type WalletEvent } from '../src/index.ts';
import { encodeLane, laneName } from '../src/lane-record.ts';
import { loadGroup } from '../src/node.ts';

export const group = loadGroup();
export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

const named = { walletId: 'wallet', keyIndex: 0, lane: 1, epoch: 1 };
const pins = {
  deployment: 'test',
  profile: 'one-account',
  router: random(32),
  deriverA: random(32),
  deriverB: random(32),
  signingWorker: random(32),
} as const;

/** The signing routes of one lane, answered by a pool in this process, and everything that was asked. */
export class SigningRouter {
  readonly publicKey: Uint8Array;
  readonly storage = memoryStorage();
  readonly events: WalletEvent[] = [];
  readonly signs: SignRequest[] = [];
  /** Signatures that were asked for without a presign. */
  readonly shares: SignatureShareRequest['statement'][] = [];
  /** How many presigns each request to prepare asked for. */
  readonly counts: number[] = [];
  /** Refills that run at once: requests to prepare, and signing requests that want presigns. */
  refilling = 0;
  mostRefilling = 0;
  /** How long an answer that brings presigns takes to come back. */
  preparedTravelsMs = 0;
  /** What happens to presigns and signatures on their way. */
  presigns: (presigns: readonly Presign[]) => readonly Presign[] = (presigns) => presigns;
  signature: (signature: Uint8Array) => Uint8Array = (signature) => signature;
  request: (request: SignRequest) => SignRequest = (request) => request;
  given: (answer: SignatureShareAnswer) => SignatureShareAnswer = (answer) => answer;
  #pool: PresignPool;
  readonly #share: SecretBytes;
  readonly #poolLane: PresignPoolLane;

  constructor() {
    this.#share = group.randomScalar(random);
    const workerShare = group.randomScalar(random);
    using key = group.addScalars(this.#share, workerShare);
    this.publicKey = group.baseMultiply(key);
    const clientCommitment = group.baseMultiply(this.#share);
    const keyed = { share: workerShare, groupPublicKey: this.publicKey, clientCommitment };
    this.#poolLane = { group, lane: named, ...keyed, random };
    this.#pool = new PresignPool(this.#poolLane);
  }

  /** An app that has just been opened on the device's storage. */
  async open(options: { readonly prefetch?: boolean; readonly now?: () => number } = {}): Promise<Wallet> {
    return new Wallet({ ...(await this.#given()), ...options });
  }

  /** What stands behind such an app. */
  async device(): Promise<Device> {
    return new Device(await this.#given());
  }

  async #given(): Promise<DeviceOptions> {
    const { publicKey } = this;
    const lane = { ...named, ceremonyId: random(32), publicKey, share: this.#share, laneSeed: SecretBytes.own(random(32)) };
    using record = encodeLane(lane);
    await this.storage.set(laneName(named.walletId, named.keyIndex), record);
    const credential = ed25519Credential(group, SecretBytes.own(random(32)), 'device', 'test');
    const onEvent = (event: WalletEvent): void => void this.events.push(event);
    const given = { router: this.#connection, pins, walletId: named.walletId, storage: this.storage, credential, group };
    return { ...given, onEvent };
  }

  /** The SigningWorker's object is put away, and its nonces with it. */
  forget(): void {
    this.#pool = new PresignPool(this.#poolLane);
  }

  /** Presigns that the SigningWorker has handed out, and would still sign under. */
  get unspent(): number {
    return this.#pool.size;
  }

  get prepares(): number {
    return this.counts.length;
  }

  /** Every commitment that the client has sent, and every presign that it has named to be spent. */
  get sent(): { readonly commitments: readonly string[]; readonly presigns: readonly string[] } {
    const commitments = [...this.signs, ...this.shares].flatMap(({ hiding, binding }) => [toHex(hiding), toHex(binding)]);
    return { commitments, presigns: this.signs.map(({ presignId }) => toHex(presignId)) };
  }

  /** How the refills have gone so far. */
  get refills(): readonly string[] {
    return this.events.flatMap((event) => {
      if (event.kind !== 'refill') return [];
      return event.state === 'failed' ? [`failed ${event.code}`] : [event.state];
    });
  }

  readonly #connection: RouterConnection = async (path, body) => {
    if (path === '/router-ab/ed25519/sign/prepare') return this.#prepare(PrepareRequest.fromJson(body));
    if (path === '/router-ab/ed25519/sign') return this.#sign(SignRequest.fromJson(body));
    if (path === '/router-ab/ed25519/sign/share') return this.#giveShare(SignatureShareRequest.fromJson(body));
    throw new YaoError('unknown_route', `no ${path} here`);
  };

  async #prepare({ statement }: PrepareRequest): Promise<unknown> {
    this.counts.push(statement.count);
    const answer = await this.#during(true, () =>
      PrepareAnswer.toJson({ presigns: this.presigns(this.#pool.prepare(statement.count, Date.now())) }),
    );
    await new Promise((resolve) => setTimeout(resolve, this.preparedTravelsMs));
    return answer;
  }

  async #sign(asked: SignRequest): Promise<unknown> {
    this.signs.push(asked);
    const request = this.request(asked);
    return this.#during(request.wanted > 0, () => {
      const pool = this.#pool;
      const signature = this.signature(pool.finish(request, Date.now()));
      setTimeout(() => pool.makeAhead(Date.now()), 0);
      const presigns = this.presigns(pool.prepareAhead(request.wanted, Date.now()));
      return SignAnswer.toJson({ signature, presigns, usesLeft: null });
    });
  }

  async #giveShare({ statement }: SignatureShareRequest): Promise<unknown> {
    this.shares.push(statement);
    return this.#during(false, () => {
      const pool = this.#pool;
      const given = pool.giveShare(toHex(SignatureShareStatement.digest(statement)), statement);
      const held = statement.held !== null && pool.holds(statement.held);
      return SignatureShareAnswer.toJson(this.given({ ...given, held, usesLeft: null }));
    });
  }

  async #during(refills: boolean, answer: () => unknown): Promise<unknown> {
    if (refills) this.refilling++;
    this.mostRefilling = Math.max(this.mostRefilling, this.refilling);
    await new Promise((resolve) => setTimeout(resolve, 1));
    try {
      return answer();
    } finally {
      if (refills) this.refilling--;
    }
  }
}
