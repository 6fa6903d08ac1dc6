import {
  acceptLink,
  createDeviceKeys,
  type DeviceKeys,
  type DevicePublicKeys,
  exportSeed,
  type Intent,
  type LinkFacts,
  linkDevice,
  obtainLane,
  pendingName,
  publicHalves,
  type RootSource,
} from '@streaming-yao/ceremony/client';
import { equalBytes, YaoError } from '@streaming-yao/core';
import {
  type AuditEntry,
  type Authority,
  type CeremonyAnswer,
  type Credential as CredentialRecord,
  idOfCredential,
  type LanesAnswer,
} from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import { Custody } from './custody.ts';
import { Device, type DeviceOptions } from './device.ts';
import type { WalletOperation } from './event.ts';
import { intentOf } from './intent.ts';
import { formatKey, type KeyFormat, parseKeyFormat } from './key-format.ts';
import { registerKey } from './registration.ts';
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
    return this.#change('register', keyIndex, async () => {
      const { lane, answer } = await registerKey(this.#device, this.#custody, keyIndex, recovery);
      return { publicKey: lane.publicKey, answer };
    });
  }

  /**
   * Gives this device a lane of an existing key, with nothing but a credential of the wallet. The other lanes end with it.
   * @throws YaoError `unlock_failed`, `unknown_wallet`
   */
  recover({ keyIndex = 0, keepLanes = false }: KeyChoice & { readonly keepLanes?: boolean } = {}): Promise<Registered> {
    return this.#change('recover', keyIndex, async () => {
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
      const intent = intentOf(this.#device.options, 'recover', {
        keyIndex,
        lane: nextLane,
        registeredKey: publicKey,
        authority,
        retireOtherLanes: !keepLanes,
      });
      return await this.#obtainStaged(intent, kept);
    });
  }

  /** Replaces both shares of this device's lane; the old ones are useless from then on. */
  refresh({ keyIndex = 0 }: KeyChoice = {}): Promise<Registered> {
    return this.#change('refresh', keyIndex, async () => {
      const { lane, epoch, publicKey } = await this.#device.lane(keyIndex);
      const { authority } = await this.#custody.lanes(keyIndex);
      const intent = intentOf(this.#device.options, 'refresh', {
        keyIndex,
        lane,
        expectedEpoch: epoch,
        registeredKey: publicKey,
        authority,
      });
      return await this.#obtainStaged(intent, await this.#custody.rootSource());
    });
  }

  /** On a new device: keys to show to the approving device, outside the Router. */
  offerLink(): { readonly keys: DeviceKeys; readonly offer: DevicePublicKeys } {
    const keys = createDeviceKeys(this.#device.surroundings);
    return { keys, offer: publicHalves(keys) };
  }

  /** On a device that has a lane: lets the offering device have one. @returns what to show back to it, outside the Router */
  approveLink(offer: DevicePublicKeys, { keyIndex = 0 }: KeyChoice = {}): Promise<LinkFacts> {
    return this.#tracked('link', keyIndex, async () => {
      const { options, surroundings } = this.#device;
      const { publicKey } = await this.#device.lane(keyIndex);
      const { nextLane, authority } = await this.#custody.lanes(keyIndex);
      const intent = intentOf(options, 'link', { keyIndex, lane: nextLane, registeredKey: publicKey, authority });
      const source = await this.#custody.rootSource();
      const ceremonyId = await this.#device.run(linkDevice(surroundings, intent, source, offer));
      return { walletId: options.walletId, keyIndex, publicKey, ceremonyId };
    });
  }

  /** On the new device: takes over the lane that was approved. It never sees the client root. */
  acceptLink(facts: LinkFacts, keys: DeviceKeys): Promise<Uint8Array> {
    return this.#change('accept-link', facts.keyIndex, async () => {
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
    return this.#tracked('sign', keyIndex, async () => this.#device.run((await this.#signer(keyIndex)).sign(message)));
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
    return this.#tracked('export', keyIndex, async () => {
      const { options, surroundings } = this.#device;
      const { lane, epoch: expectedEpoch, publicKey } = await this.#device.lane(keyIndex);
      const { authority } = await this.#custody.lanes(keyIndex);
      const intent = intentOf(options, 'export', { keyIndex, lane, expectedEpoch, registeredKey: publicKey, authority });
      const source = await this.#custody.rootSource();
      const { result, answer } = await this.#device.run(exportSeed(surroundings, intent, source));
      using seed = result;
      await options.storage.set(pendingName(options.walletId, keyIndex), undefined);
      return { key: formatKey(format, seed, publicKey), answer };
    });
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
    return this.#change('resume', keyIndex, () => this.#device.resume(keyIndex));
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

  #tracked<T>(operation: WalletOperation, keyIndex: number, act: () => Promise<T>): Promise<T> {
    return this.#device.progress.of({ kind: 'operation', operation, keyIndex }, act);
  }

  /** One change of a lane at a time; signing waits for it, and then uses the new share. */
  #change<T>(operation: WalletOperation, keyIndex: number, change: () => Promise<T>): Promise<T> {
    const before = this.#changes.get(keyIndex) ?? Promise.resolve();
    const changed = before.then(() => this.#tracked(operation, keyIndex, change)).finally(() => this.#signers.delete(keyIndex));
    this.#changes.set(
      keyIndex,
      changed.catch(() => undefined),
    );
    return changed;
  }
}
