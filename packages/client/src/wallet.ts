import {
  acceptLink,
  acceptShare,
  conclude,
  createDeviceKeys,
  type DeviceKeys,
  type DevicePublicKeys,
  exportSeed,
  type Intent,
  type LinkFacts,
  linkDevice,
  obtainLane,
  pendingName,
  prepare,
  publicHalves,
  type RootSource,
} from '@streaming-yao/ceremony/client';
import { equalBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import {
  type AuditEntry,
  type Authority,
  type CeremonyAnswer,
  type Credential as CredentialRecord,
  idOfCredential,
  type LanesAnswer,
} from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import { Custody, type RootHolder } from './custody.ts';
import { Device, type DeviceOptions } from './device.ts';
import { formatKey, type KeyFormat, parseKeyFormat } from './key-format.ts';
import type { WalletFacts } from './lane-record.ts';
import type { RootContents } from './root.ts';
import { LaneSigner, type Signed } from './signer.ts';

export type WalletOptions = DeviceOptions;

export interface Registered {
  /** A standard Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Receipt and activation, for whoever wants to check them again. */
  readonly answer: CeremonyAnswer;
}

export interface Exported {
  /** Text, except for `pkcs8-der`. */
  readonly key: string | Uint8Array;
  readonly answer: CeremonyAnswer;
}

/** A device's lane of a key. */
export interface LaneStatus {
  readonly publicKey: Uint8Array;
  readonly lane: number;
  readonly epoch: number;
}

/** Which of the wallet's keys; the first one by default. */
export interface KeyChoice {
  readonly keyIndex?: number;
}

/** A wallet on one device: keys that nobody holds, made and used together with the deployment. */
export class Wallet {
  readonly #device: Device;
  readonly #custody: Custody;
  readonly #signers = new Map<number, LaneSigner>();
  /** Operations that replace a key's lane, one after the other. */
  readonly #changes = new Map<number, Promise<unknown>>();

  constructor(options: WalletOptions) {
    this.#device = new Device(options);
    this.#custody = new Custody(this.#device);
  }

  /**
   * Makes a key that nobody ever holds, and this device's lane of it.
   * @param recovery credentials besides this device's that may act for the wallet and unwrap its root
   * @throws YaoError `key_exists`, and whatever a ceremony may end with
   */
  register({ keyIndex = 0, recovery = [] }: KeyChoice & { readonly recovery?: readonly Credential[] } = {}): Promise<Registered> {
    return this.#change(keyIndex, async () => {
      const facts = await this.#device.facts();
      const holders = [this.#device.options.credential, ...recovery].map((credential) =>
        this.#custody.holder(credential, facts?.authority),
      );
      const fresh = facts ? undefined : this.#newRoot();
      const authority = facts?.authority ?? this.#firstAuthority(holders);
      const source = fresh ? fresh.root : await this.#custody.rootSource();
      const intent = this.#intent('register', {
        keyIndex,
        lane: 1,
        expectedEpoch: 0,
        registeredKey: null,
        authority,
        authorityUpdates: authority.version === 1 ? [{ authority, proof: null }] : [],
      });
      const pending = await this.#device.run(prepare(this.#device.surroundings, intent, source));
      const { root, keys } = fresh ?? this.#custody.open((facts as WalletFacts).wrapped);
      using kept = root;
      const rootId = fresh?.rootId ?? (facts as WalletFacts).wrapped.rootId;
      const asked = fresh ? holders : holders.slice(0, 1);
      if (fresh) await this.#keepRoot(asked, { root: kept, keys }, rootId, authority);
      const { result: lane, answer } = await this.#device.run(conclude(this.#device.surroundings, pending, acceptShare));
      await this.#device.keepActive(lane);
      const others = keys.filter((key) => key.keyIndex !== keyIndex);
      await this.#keepRoot(asked, { root: kept, keys: [...others, lane] }, rootId, authority);
      return { publicKey: lane.publicKey, answer };
    });
  }

  /** At the Router for each of the credentials, and on this device for its own. */
  async #keepRoot(holders: readonly RootHolder[], contents: RootContents, rootId: Uint8Array, authority: Authority) {
    const wrapped = await this.#custody.storeRoots(holders, contents, rootId);
    if (wrapped) await this.#device.keepFacts({ authority, wrapped });
  }

  /**
   * Gives this device a lane of an existing key, with nothing but a credential of the wallet. The other lanes end with it.
   * @throws YaoError `unlock_failed`, `unknown_wallet`
   */
  recover({ keyIndex = 0, keepLanes = false }: KeyChoice & { readonly keepLanes?: boolean } = {}): Promise<Registered> {
    return this.#change(keyIndex, async () => {
      const { root, wrapped, keys } = await this.#custody.unlock();
      using kept = root;
      const { publicKey, nextLane, authority } = await this.#custody.lanes(keyIndex);
      const known = keys.find((key) => key.keyIndex === keyIndex);
      if (known && !equalBytes(known.publicKey, publicKey)) {
        throw new YaoError('public_key_mismatch', 'the SigningWorker names another key than the wrapped root', {
          party: 'router',
        });
      }
      await this.#device.keepFacts({ authority, wrapped });
      const intent = this.#intent('recover', {
        keyIndex,
        lane: nextLane,
        expectedEpoch: 0,
        registeredKey: publicKey,
        authority,
        retireOtherLanes: !keepLanes,
      });
      return await this.#obtainStaged(intent, kept);
    });
  }

  /** Replaces both shares of this device's lane; the old ones are useless from then on. */
  refresh({ keyIndex = 0 }: KeyChoice = {}): Promise<Registered> {
    return this.#change(keyIndex, async () => {
      const { lane, epoch, publicKey } = await this.#device.lane(keyIndex);
      const { authority } = await this.#custody.lanes(keyIndex);
      const intent = this.#intent('refresh', { keyIndex, lane, expectedEpoch: epoch, registeredKey: publicKey, authority });
      return await this.#obtainStaged(intent, await this.#custody.rootSource());
    });
  }

  /** On a new device: keys to show to the approving device, outside the Router. */
  offerLink(): { readonly keys: DeviceKeys; readonly offer: DevicePublicKeys } {
    const keys = createDeviceKeys(this.#device.surroundings);
    return { keys, offer: publicHalves(keys) };
  }

  /** On a device that has a lane: lets the offering device have one. @returns what to show back to it, outside the Router */
  async approveLink(offer: DevicePublicKeys, { keyIndex = 0 }: KeyChoice = {}): Promise<LinkFacts> {
    const { publicKey } = await this.#device.lane(keyIndex);
    const { nextLane, authority } = await this.#custody.lanes(keyIndex);
    const intent = this.#intent('link', { keyIndex, lane: nextLane, expectedEpoch: 0, registeredKey: publicKey, authority });
    const ceremonyId = await this.#device.run(
      linkDevice(this.#device.surroundings, intent, await this.#custody.rootSource(), offer),
    );
    return { walletId: this.#device.options.walletId, keyIndex, publicKey, ceremonyId };
  }

  /** On the new device: takes over the lane that was approved. It never sees the client root. */
  acceptLink(facts: LinkFacts, keys: DeviceKeys): Promise<Uint8Array> {
    return this.#change(facts.keyIndex, async () => {
      const lane = await this.#device.run(acceptLink(this.#device.surroundings, facts, keys));
      await this.#device.keepStaged(lane);
      return lane.publicKey;
    });
  }

  /**
   * Signs a message with this device's share and the SigningWorker's.
   * @returns an RFC 8032 signature, verified before it is returned
   * @throws YaoError `not_ready` without a lane on this device, `presign_spent`, `epoch_retired`
   */
  async sign(message: Uint8Array, { keyIndex = 0 }: KeyChoice = {}): Promise<Signed> {
    await this.#changes.get(keyIndex);
    return this.#device.run((await this.#signer(keyIndex)).sign(message));
  }

  /** Fetches commitments ahead, so that the next signature is one request. */
  async prefetch({ keyIndex = 0 }: KeyChoice = {}): Promise<void> {
    await this.#device.run((await this.#signer(keyIndex)).prefetch());
  }

  /**
   * Gives out the whole key in a standard form, after a fresh authorization. From then on it is the holder's to protect.
   * @throws YaoError `unknown_format` before anything is asked, `public_key_mismatch`
   */
  async exportKey({ format, keyIndex = 0 }: KeyChoice & { readonly format: KeyFormat }): Promise<Exported> {
    parseKeyFormat(format);
    const { walletId, storage } = this.#device.options;
    const { lane, epoch, publicKey } = await this.#device.lane(keyIndex);
    const { authority } = await this.#custody.lanes(keyIndex);
    const intent = this.#intent('export', { keyIndex, lane, expectedEpoch: epoch, registeredKey: publicKey, authority });
    const source = await this.#custody.rootSource();
    const { result, answer } = await this.#device.run(exportSeed(this.#device.surroundings, intent, source));
    using seed = result;
    await storage.set(pendingName(walletId, keyIndex), undefined);
    return { key: formatKey(format, seed, publicKey), answer };
  }

  /** What this device holds of a key, without asking anybody; `undefined` where it has no lane. */
  async status({ keyIndex = 0 }: KeyChoice = {}): Promise<LaneStatus | undefined> {
    const held = await this.#device.laneIfAny(keyIndex);
    return held && { publicKey: held.publicKey, lane: held.lane, epoch: held.epoch };
  }

  /** The key's public key as this device knows it. @throws YaoError `not_ready` */
  async publicKey({ keyIndex = 0 }: KeyChoice = {}): Promise<Uint8Array> {
    return (await this.#device.lane(keyIndex)).publicKey;
  }

  /** Ends what a crash or a lost answer has interrupted. */
  resume({ keyIndex = 0 }: KeyChoice = {}): Promise<boolean> {
    return this.#change(keyIndex, () => this.#device.resume(keyIndex));
  }

  async credentials(): Promise<readonly CredentialRecord[]> {
    return (await this.#authority()).credentials;
  }

  /**
   * Lets another credential, which is at hand on this device, act for the wallet and unwrap its root. No Deriver is asked to
   * compute. The new one is asked first, so that one that cannot wrap is never made the wallet's.
   */
  async addCredential(credential: Credential): Promise<void> {
    const added = this.#custody.holder(credential);
    await added.approval.session();
    const authority = await this.#authority();
    const member = authority.credentials.some((existing) => equalBytes(idOfCredential(existing), credential.id));
    if (!member) await this.#custody.changeCredentials(authority, [...authority.credentials, added.record]);
    await this.#device.approval.session();
    const facts = await this.#device.facts();
    const { root, keys, wrapped } = facts ? { ...facts, ...this.#custody.open(facts.wrapped) } : await this.#custody.unlock();
    using kept = root;
    await this.#custody.storeRoots([added], { root: kept, keys }, wrapped.rootId);
    added.approval.lock();
  }

  /** From now on Derivers, SigningWorker and Router refuse this credential. @throws YaoError `invalid_request` for the last one */
  async removeCredential(credentialId: Uint8Array): Promise<void> {
    const authority = await this.#authority();
    await this.#custody.changeCredentials(authority, this.#custody.without(authority, credentialId));
  }

  lanes({ keyIndex = 0 }: KeyChoice = {}): Promise<LanesAnswer> {
    return this.#custody.lanes(keyIndex);
  }

  /** What the Router has noted about this wallet, newest first: who did what when, no secret. */
  audit(): Promise<readonly AuditEntry[]> {
    return this.#custody.audit();
  }

  /** Ends a lane at once, for example of a lost device. */
  revokeLane(lane: number, { keyIndex = 0 }: KeyChoice = {}): Promise<void> {
    return this.#custody.revokeLane(keyIndex, lane);
  }

  /** Forgets what the user has unlocked; the next operation that needs it asks again. */
  lock(): void {
    this.#device.approval.lock();
  }

  async #obtainStaged(intent: Intent, root: RootSource): Promise<Registered> {
    const { result: lane, answer } = await this.#device.run(obtainLane(this.#device.surroundings, intent, root));
    await this.#device.keepStaged(lane);
    return { publicKey: lane.publicKey, answer };
  }

  #intent(
    operation: Intent['operation'],
    rest: Omit<Intent, 'operation' | 'walletId' | 'credentialId' | 'retireOtherLanes' | 'authorityUpdates'> &
      Partial<Pick<Intent, 'retireOtherLanes' | 'authorityUpdates'>>,
  ): Intent {
    const { walletId, credential } = this.#device.options;
    return { operation, walletId, credentialId: credential.id, retireOtherLanes: false, authorityUpdates: [], ...rest };
  }

  #newRoot(): RootContents & { readonly rootId: Uint8Array } {
    const { random } = this.#device.surroundings;
    return { root: SecretBytes.own(random(32)), rootId: random(32), keys: [] };
  }

  #firstAuthority(holders: readonly RootHolder[]): Authority {
    const { walletId, pins } = this.#device.options;
    const records = holders.map(({ record }) => record);
    return { deployment: pins.deployment, walletId, version: 1, previous: null, credentials: records };
  }

  async #authority(): Promise<Authority> {
    return (await this.#custody.lanes(0)).authority;
  }

  async #signer(keyIndex: number): Promise<LaneSigner> {
    const known = this.#signers.get(keyIndex);
    if (known) return known;
    const signer = new LaneSigner(this.#device.surroundings, await this.#device.lane(keyIndex));
    this.#signers.set(keyIndex, signer);
    return signer;
  }

  /** One change of a lane at a time; signing waits for it, and then uses the new share. */
  #change<T>(keyIndex: number, change: () => Promise<T>): Promise<T> {
    const before = this.#changes.get(keyIndex) ?? Promise.resolve();
    const changed = before.then(change).finally(() => this.#signers.delete(keyIndex));
    this.#changes.set(
      keyIndex,
      changed.catch(() => undefined),
    );
    return changed;
  }
}
