import {
  acceptShare,
  type ClientSurroundings,
  conclude,
  confirmLane,
  decodeLink,
  decodePending,
  type Lane,
  linkName,
  nameLane,
  pendingName,
  wipeDeviceKeys,
} from '@streaming-yao/ceremony/client';
import { ask, type Program, run } from '@streaming-yao/ceremony/program';
import { equalBytes, type SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import type { CommitmentPoolSettings } from '@streaming-yao/signing';
import {
  type CeremonyAnswer,
  type CeremonyRequest,
  deviceName,
  type NameRequest,
  NameStatement,
  type Operation,
  type Pins,
  type StoreRoot,
  type WrappedRoot,
} from '@streaming-yao/wire';
import { Approval, type OpenSession } from './approval.ts';
import type { Credential } from './credential.ts';
import { observedCredential, Progress, type WalletEvent } from './event.ts';
import {
  decodeLane,
  decodeWallet,
  encodeLane,
  encodeWallet,
  factsOf,
  type LaneFacts,
  laneName,
  nextLaneName,
  type WalletFacts,
  walletName,
  wipeLane,
} from './lane-record.ts';
import { createPerformer } from './perform.ts';
import { connectRouter, type RouterConnection } from './router-connection.ts';
import type { Storage } from './storage.ts';

/** What a wallet on a device is made of. */
export interface DeviceOptions {
  /** The Router's address, or a connection of one's own. */
  readonly router: string | RouterConnection;
  /** The deployment's verification keys, built into the app. */
  readonly pins: Pins;
  /** 1 to 64 of `A-Za-z0-9._-`; the app chooses it, one for each user, and it is no secret. */
  readonly walletId: string;
  /** Of this device alone: shares, keys under way and what it remembers of the wallet. */
  readonly storage: Storage;
  /** What people shall call this device: the lanes that it gets from now on bear this name, 1 to 64 bytes. */
  readonly deviceName?: string;
  /** What this device's user authorizes and unlocks with. */
  readonly credential: Credential;
  /** What the user has unlocked already, as {@link discoverPasskey} gives it. */
  readonly session?: OpenSession;
  /** The elliptic curve, as `loadGroup` of `./node` or `./browser` gives it. */
  readonly group: Group;
  /** Hears how everything proceeds. */
  readonly onEvent?: (event: WalletEvent) => void;
  /** Whether a registration is followed by a second derivation, which shows that the key can be made again; on by default. */
  readonly secondDerivation?: boolean;
  /** A cryptographic source of random bytes; `crypto.getRandomValues` by default. */
  readonly random?: (length: number) => Uint8Array;
  /** The clock in milliseconds since 1970; `Date.now` by default. Requests carry its time, and roles refuse what is far from theirs. */
  readonly now?: () => number;
  /**
   * Fetches commitments in the background when the wallet is opened, for its first key, and when a key's lane has changed, so that
   * already the first signature is a hit; off by default.
   */
  readonly prefetch?: boolean;
  /** How many commitments each lane holds for later signatures, where not the standard. */
  readonly stock?: Partial<CommitmentPoolSettings>;
  /** Asks the roles which messages passed them in a ceremony, for people to look at; off by default. */
  readonly timeline?: boolean;
}

/** @throws YaoError `invalid_request` */
export function checkDeviceName(name: string): void {
  try {
    deviceName.fromJson(name, 'name');
  } catch {
    throw new YaoError('invalid_request', 'a device’s name is 1 to 64 bytes of text, not blank, without control characters', {
      party: 'client',
    });
  }
}

type NameAuthor = (message: Uint8Array) => NameRequest['author'] | Promise<NameRequest['author']>;

const systemRandom = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** Runs what replaces a lane while nobody uses it. */
export type Replace = (act: () => Promise<void>) => Promise<void>;

/** What an interrupted operation has come to. */
export type Resumed =
  | { readonly operation: Operation; readonly lane: LaneFacts; readonly answer: CeremonyAnswer }
  /** Only the confirmation was missing. */
  | { readonly operation: undefined; readonly lane: LaneFacts };

/** One wallet's records on one device, and the programs that act on them; what a crash interrupts, {@link resume} ends. */
export class Device {
  readonly options: DeviceOptions;
  readonly surroundings: ClientSurroundings;
  readonly approval: Approval;
  readonly progress: Progress;
  readonly #perform: ReturnType<typeof createPerformer>;

  constructor(options: DeviceOptions) {
    const { pins, group, random = systemRandom, now = Date.now, timeline = false, storage, credential } = options;
    if (options.deviceName !== undefined) checkDeviceName(options.deviceName);
    this.options = options;
    this.surroundings = { pins, group, random, now, timeline };
    this.progress = new Progress(options.onEvent, now);
    this.approval = new Approval(observedCredential(credential, this.progress), this.surroundings, options.session);
    const router = typeof options.router === 'string' ? connectRouter(options.router) : options.router;
    this.#perform = this.progress.observed(createPerformer({ group, router, storage, approval: this.approval }));
  }

  run<T>(program: Program<T>): Promise<T> {
    return run(program, this.#perform);
  }

  /** Fetches what any ceremony asks for first, so that it is at hand by then: connections keep it for a while, as browsers do. */
  expectCeremony(): void {
    this.run(ask('/.well-known/streaming-yao')).catch(() => undefined);
  }

  /** What this device knows of its lane of a key, where it has one. */
  async laneIfAny(keyIndex: number): Promise<LaneFacts | undefined> {
    const lane = await this.#recallLane(laneName(this.options.walletId, keyIndex));
    if (!lane) return undefined;
    wipeLane(lane);
    return factsOf(lane);
  }

  /** @throws YaoError `not_ready` without a lane on this device */
  async lane(keyIndex: number): Promise<LaneFacts> {
    return this.useLane(keyIndex, async (lane) => factsOf(lane));
  }

  /** Lets `act` use the lane's secrets, which are wiped then. @throws YaoError `not_ready` without a lane on this device */
  async useLane<T>(keyIndex: number, act: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = await this.takeLane(keyIndex);
    try {
      return await act(lane);
    } finally {
      wipeLane(lane);
    }
  }

  /** The lane with its secrets, which the caller wipes. @throws YaoError `not_ready` without a lane on this device */
  async takeLane(keyIndex: number): Promise<Lane> {
    const lane = await this.#recallLane(laneName(this.options.walletId, keyIndex));
    if (lane) return lane;
    throw new YaoError('not_ready', `this device has no lane of key ${keyIndex}; register, recover or link first`, {
      party: 'client',
    });
  }

  async facts(): Promise<WalletFacts | undefined> {
    using record = await this.options.storage.get(walletName(this.options.walletId));
    return record && decodeWallet(record);
  }

  async keepFacts(facts: WalletFacts): Promise<void> {
    using record = encodeWallet(facts);
    await this.options.storage.set(walletName(this.options.walletId), record);
  }

  /** The share becomes durable before the request that could fetch it again is forgotten, and is wiped from memory. */
  async keepActive(lane: Lane): Promise<void> {
    try {
      await this.#keepLane(laneName(lane.walletId, lane.keyIndex), lane);
      await this.#forget(pendingName(lane.walletId, lane.keyIndex));
      await this.#nameNew(lane);
    } finally {
      wipeLane(lane);
    }
  }

  /** @param author signs the statement, or has it approved of */
  async nameLane({ keyIndex, lane }: Pick<Lane, 'keyIndex' | 'lane'>, name: string, author: NameAuthor): Promise<void> {
    const { pins, walletId } = this.options;
    const { deployment } = pins;
    const statement = { deployment, walletId, keyIndex, lane, name, issuedAtMs: this.surroundings.now() };
    await this.run(nameLane({ statement, author: await author(NameStatement.encode(statement)) }));
  }

  /** A device may name its own lane without asking its user. */
  byLane({ laneSeed }: Lane): NameAuthor {
    return (message) => ({ kind: 'lane', signature: this.surroundings.group.signEd25519(laneSeed, message) });
  }

  /** A lane without its name is worth no failure: it signs, and can be named later. */
  async #nameNew(lane: Lane): Promise<void> {
    const { deviceName: name } = this.options;
    if (name === undefined || lane.epoch !== 1) return;
    await this.nameLane(lane, name, this.byLane(lane)).catch(() => undefined);
  }

  /**
   * Stores a staged share beside the old one, confirms it, and lets the old one go on the SigningWorker's statement only; its
   * secrets are wiped from memory.
   * @param replace runs what replaces the lane while nobody uses it
   */
  async keepStaged(lane: Lane, replace: Replace): Promise<void> {
    const { walletId, keyIndex } = lane;
    try {
      await this.#keepLane(nextLaneName(walletId, keyIndex), lane);
      await this.#forget(pendingName(walletId, keyIndex));
      await replace(() => this.#confirm(lane));
    } finally {
      wipeLane(lane);
    }
  }

  /**
   * Ends what was interrupted: a request whose answer was not opened, a share that was not confirmed.
   * @returns what came of it; absent where nothing was left to end, or nothing could come of it any more
   */
  async resume(keyIndex: number, replace: Replace): Promise<Resumed | undefined> {
    const next = await this.#recallLane(nextLaneName(this.options.walletId, keyIndex));
    try {
      if (!next) return await this.#resumeCeremony(keyIndex, replace);
      await replace(() => this.#confirm(next));
      return { operation: undefined, lane: next };
    } catch (error) {
      // What was refused for good is forgotten by now, and the lane as it stood still signs.
      if (error instanceof YaoError && !(await this.#interrupted(keyIndex))) return undefined;
      throw error;
    } finally {
      if (next) wipeLane(next);
    }
  }

  async #interrupted(keyIndex: number): Promise<boolean> {
    const { walletId, storage } = this.options;
    using next = await storage.get(nextLaneName(walletId, keyIndex));
    using pending = await storage.get(pendingName(walletId, keyIndex));
    return next !== undefined || pending !== undefined;
  }

  async #resumeCeremony(keyIndex: number, replace: Replace): Promise<Resumed | undefined> {
    const name = pendingName(this.options.walletId, keyIndex);
    using record = await this.options.storage.get(name);
    if (!record) return undefined;
    const pending = decodePending(record);
    // An interrupted export is not repeated: the user asks again.
    if (!pending || pending.core.operation === 'export' || pending.core.expiresAtMs < this.surroundings.now()) {
      if (pending) wipeDeviceKeys(pending);
      await this.#forget(name);
      return undefined;
    }
    const { operation } = pending.core;
    const { result: lane, answer } = await this.run(conclude(this.surroundings, pending, acceptShare));
    if (operation === 'register') {
      await this.#keepFounded(pending.request);
      await this.keepActive(lane);
    } else await this.keepStaged(lane, replace);
    return { operation, lane, answer };
  }

  /** What the wallet's first registration has brought. */
  async #keepFounded({ authorityUpdates, roots }: CeremonyRequest): Promise<void> {
    const [founded] = authorityUpdates;
    const wrapped = this.ownRoot(roots);
    if (founded && wrapped && !(await this.facts())) await this.keepFacts({ authority: founded.authority, wrapped });
  }

  /** The root among them that is wrapped for this device's credential. */
  ownRoot(roots: readonly StoreRoot[]): WrappedRoot | undefined {
    const records = roots.map(({ statement }) => statement.record);
    return records.find(({ credentialId }) => equalBytes(credentialId, this.approval.credential.id));
  }

  async #confirm(lane: Lane): Promise<void> {
    const { walletId, keyIndex } = lane;
    if (!(await this.run(confirmLane(this.surroundings, lane)))) {
      await this.#forget(nextLaneName(walletId, keyIndex));
      throw new YaoError('ceremony_unknown', 'the new share was confirmed too late and the old one still signs; start again', {
        party: 'client',
      });
    }
    await this.#keepLane(laneName(walletId, keyIndex), lane);
    await this.#forget(nextLaneName(walletId, keyIndex));
    await this.#nameNew(lane);
  }

  /** A link that this device approved and whose ceremony it has not learned yet. */
  async keptLink(keyIndex: number): Promise<CeremonyRequest | undefined> {
    using record = await this.options.storage.get(linkName(this.options.walletId, keyIndex));
    const request = record && decodeLink(record);
    return request && request.core.expiresAtMs > this.surroundings.now() ? request : undefined;
  }

  /** The lane seed with which this device may follow a ceremony. @throws YaoError `ceremony_unknown` */
  async seedOf(ceremonyId: Uint8Array, keyIndex: number): Promise<SecretBytes> {
    const { walletId, storage } = this.options;
    using record = await storage.get(pendingName(walletId, keyIndex));
    const lanes = await Promise.all([nextLaneName, laneName].map((nameOf) => this.#recallLane(nameOf(walletId, keyIndex))));
    const pending = record && decodePending(record);
    const found = [pending, ...lanes].find((held) => held && equalBytes(held.ceremonyId, ceremonyId));
    const seed = found?.laneSeed.map((bytes) => bytes.slice());
    if (pending) wipeDeviceKeys(pending);
    for (const lane of lanes) if (lane) wipeLane(lane);
    if (seed) return seed;
    throw new YaoError('ceremony_unknown', 'this device has no key of that ceremony', { party: 'client' });
  }

  async #recallLane(name: string): Promise<Lane | undefined> {
    using record = await this.options.storage.get(name);
    return record && decodeLane(record);
  }

  async #keepLane(name: string, lane: Lane): Promise<void> {
    using record = encodeLane(lane);
    await this.options.storage.set(name, record);
  }

  async #forget(name: string): Promise<void> {
    await this.options.storage.set(name, undefined);
  }
}
