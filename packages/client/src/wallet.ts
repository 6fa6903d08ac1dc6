import {
  acceptLink,
  createDeviceKeys,
  type DeviceKeys,
  type DevicePublicKeys,
  followCeremony,
  type Intent,
  type KeyLanes,
  type LinkFacts,
  obtainLane,
  publicHalves,
  type RootSource,
} from '@streaming-yao/ceremony/client';
import { equalBytes, YaoError } from '@streaming-yao/core';
import type { AuditEntry, Credential as CredentialRecord, FollowAnswer, SigningSession } from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import { Custody } from './custody.ts';
import { Device, type DeviceOptions, type Replace, type Resumed } from './device.ts';
import type { WalletOperation } from './event.ts';
import { exportKey } from './export.ts';
import { intentOf } from './intent.ts';
import { type KeyFormat, parseKeyFormat } from './key-format.ts';
import { LaneAccess } from './lane-access.ts';
import { approveLink } from './link.ts';
import { registerKey } from './registration.ts';
import { type SessionExtent, SigningSessions } from './signing-sessions.ts';
import type { Signed } from './stocked-signer.ts';
import type { Exported, KeyChoice, LaneStatus, Registered, SignChoice } from './wallet-answers.ts';

export type * from './wallet-answers.ts';

/** What {@link Wallet} is constructed with. */
export type WalletOptions = DeviceOptions;

/** A wallet on one device: keys that nobody holds, made and used together with the deployment. */
export class Wallet {
  readonly #device: Device;
  readonly #custody: Custody;
  readonly #sessions: SigningSessions;
  readonly #lanes = new Map<number, LaneAccess>();
  /** What follows registrations in the background. */
  readonly #sequels = new Map<number, Promise<unknown>>();

  /** Asks nobody and stores nothing; only `prefetch` of the options begins something. @throws YaoError `invalid_request` for a device name */
  constructor(options: WalletOptions) {
    this.#device = new Device(options);
    this.#custody = new Custody(this.#device);
    this.#sessions = new SigningSessions(this.#device);
    this.#laneOf(0).stockAside();
  }

  /**
   * Makes a key that nobody ever holds, and this device's lane of it.
   * @param recovery credentials besides this device's that may act for the wallet and unwrap its root
   * @throws YaoError `key_exists`, and whatever a ceremony may end with
   */
  async register({
    keyIndex = 0,
    recovery = [],
  }: KeyChoice & { readonly recovery?: readonly Credential[] } = {}): Promise<Registered> {
    const { lane, answer, roots } = await this.#change('register', keyIndex, async (resumed) =>
      resumed?.operation === 'register'
        ? { ...resumed, roots: [] }
        : await registerKey(this.#device, this.#custody, keyIndex, recovery),
    );
    this.#sequels.set(keyIndex, Promise.allSettled([this.#custody.storeRoots(roots), this.#deriveAgain(keyIndex)]));
    return { publicKey: lane.publicKey, answer };
  }

  /**
   * Gives this device a lane of an existing key, with nothing but a credential of the wallet. The other lanes end with it.
   * @throws YaoError `unlock_failed`, `unknown_wallet`
   */
  recover({ keyIndex = 0, keepLanes = false }: KeyChoice & { readonly keepLanes?: boolean } = {}): Promise<Registered> {
    return this.#change('recover', keyIndex, async () => {
      // One question to the user opens both the root and the list of lanes.
      await this.#device.approval.session();
      this.#device.expectCeremony();
      const listed = this.#custody.lanes(keyIndex);
      // Heard of where it is awaited, unless the root's failure is told instead.
      listed.catch(() => undefined);
      const { root, wrapped, keys } = await this.#custody.unlock();
      using kept = root;
      const { publicKey, nextLane, authority } = await listed;
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
      return await this.#custody.withAuthority(keyIndex, async (authority) => {
        const chosen = { keyIndex, lane, expectedEpoch: epoch, registeredKey: publicKey, authority };
        const intent = intentOf(this.#device.options, 'refresh', chosen);
        return await this.#obtainStaged(intent, await this.#custody.rootSource());
      });
    });
  }

  /** On a new device: keys to show to the approving device, outside the Router. */
  offerLink(): { readonly keys: DeviceKeys; readonly offer: DevicePublicKeys } {
    const keys = createDeviceKeys(this.#device.surroundings);
    return { keys, offer: publicHalves(this.#device.surroundings, keys) };
  }

  /** On a device that has a lane: lets the offering device have one. @returns what to show back to it, outside the Router */
  approveLink(offer: DevicePublicKeys, { keyIndex = 0 }: KeyChoice = {}): Promise<LinkFacts> {
    return this.#change('link', keyIndex, () => approveLink(this.#device, this.#custody, keyIndex, offer));
  }

  /** On the new device: takes over the lane that was approved. It never sees the client root. */
  acceptLink(facts: LinkFacts, keys: DeviceKeys): Promise<Uint8Array> {
    return this.#change('accept-link', facts.keyIndex, async () => {
      const lane = await this.#device.run(acceptLink(this.#device.surroundings, facts, keys));
      await this.#device.keepStaged(lane, this.#replace(facts.keyIndex));
      return lane.publicKey;
    });
  }

  /**
   * Signs a message with this device's share and the SigningWorker's.
   * @returns an RFC 8032 signature, verified before it is returned
   * @throws YaoError `not_ready` without a lane on this device, `epoch_retired`, `kind_refused`, and what a signing
   *   session may end with: `budget_exhausted`, `session_unknown`, `session_required`
   */
  async sign(message: Uint8Array, { keyIndex = 0, preimage, session }: SignChoice = {}): Promise<Signed> {
    const named = { preimage, session: session ?? this.#sessions.current(keyIndex) };
    return this.#tracked('sign', keyIndex, async () => {
      try {
        return await this.#laneOf(keyIndex).use((signer) => signer.sign(message, named));
      } catch (error) {
        // The epoch ended elsewhere: confirmed before a crash, or in another tab on the same storage.
        if (!isEpochOver(error) || !(await this.#caughtUp(keyIndex))) throw error;
        return await this.#laneOf(keyIndex).use((signer) => signer.sign(message, named));
      }
    });
  }

  /** @returns whether this device holds a later epoch than the one that it last signed with */
  async #caughtUp(keyIndex: number): Promise<boolean> {
    const access = this.#laneOf(keyIndex);
    const before = access.epoch;
    await this.resume({ keyIndex });
    access.forget();
    const { lane, epoch } = await this.#device.lane(keyIndex);
    return lane !== before?.lane || epoch !== before.epoch;
  }

  /**
   * Asks the user once for a number of signatures. From then on {@link sign} counts each in this session, and is refused when it is over.
   * @throws YaoError `approval_declined`, `invalid_request`
   */
  openSession({ keyIndex = 0, ...extent }: KeyChoice & SessionExtent): Promise<SigningSession> {
    return this.#change('session', keyIndex, () => this.#sessions.open(keyIndex, extent));
  }

  /** The signing sessions of this device's lane that are open now. */
  sessions({ keyIndex = 0 }: KeyChoice = {}): Promise<readonly SigningSession[]> {
    return this.#sessions.list(keyIndex);
  }

  /** Ends a signing session at once. @returns those that are still open */
  closeSession(sessionId: Uint8Array, { keyIndex = 0 }: KeyChoice = {}): Promise<readonly SigningSession[]> {
    return this.#sessions.list(keyIndex, sessionId);
  }

  /** Fetches commitments ahead, so that the next signature is a hit: the SigningWorker verifies it before it leaves. */
  async prefetch({ keyIndex = 0 }: KeyChoice = {}): Promise<void> {
    await this.#laneOf(keyIndex).stock();
  }

  /**
   * Gives out the whole key in a standard form, after a fresh authorization. From then on it is the holder's to protect.
   * @throws YaoError `unknown_format` before anything is asked, `public_key_mismatch`
   */
  async exportKey({ format, keyIndex = 0 }: KeyChoice & { readonly format: KeyFormat }): Promise<Exported> {
    parseKeyFormat(format);
    return this.#change('export', keyIndex, () => exportKey(this.#device, this.#custody, keyIndex, format));
  }

  /** What this device holds of a key, without asking anybody; `undefined` where it has no lane. */
  async status({ keyIndex = 0 }: KeyChoice = {}): Promise<LaneStatus | undefined> {
    const held = await this.#device.laneIfAny(keyIndex);
    if (!held) return undefined;
    const { publicKey, lane, epoch, ceremonyId } = held;
    return { publicKey, lane, epoch, ceremonyId, derivationConfirmed: !isFirst(held) };
  }

  /** The key's public key as this device knows it. @throws YaoError `not_ready` */
  async publicKey({ keyIndex = 0 }: KeyChoice = {}): Promise<Uint8Array> {
    return (await this.#device.lane(keyIndex)).publicKey;
  }

  /**
   * Ends what a crash or a lost answer has interrupted.
   * @returns whether something came of it
   */
  resume({ keyIndex = 0 }: KeyChoice = {}): Promise<boolean> {
    return this.#change('resume', keyIndex, async (resumed) => resumed !== undefined);
  }

  /**
   * Whether a second derivation has come to the same public key: only then may the key be given funds. Waits for the one that
   * follows a registration, and begins one where a crash has taken it.
   * @throws YaoError `not_ready` without a lane on this device
   */
  async confirmDerivation({ keyIndex = 0 }: KeyChoice = {}): Promise<boolean> {
    await this.#sequels.get(keyIndex);
    if (isFirst(await this.#device.lane(keyIndex))) await this.refresh({ keyIndex });
    return !isFirst(await this.#device.lane(keyIndex));
  }

  /** In the background, where no user has to be asked again. What fails here, {@link confirmDerivation} repeats. */
  async #deriveAgain(keyIndex: number): Promise<void> {
    if (!this.#device.options.credential.unattended || this.#device.options.secondDerivation === false) return;
    await this.refresh({ keyIndex });
  }

  /** Where a ceremony of this device stands. @throws YaoError `ceremony_unknown` */
  async ceremony(ceremonyId: Uint8Array, { keyIndex = 0 }: KeyChoice = {}): Promise<FollowAnswer> {
    using seed = await this.#device.seedOf(ceremonyId, keyIndex);
    const { surroundings, options } = this.#device;
    return this.#device.run(followCeremony(surroundings, options.walletId, ceremonyId, seed));
  }

  /** Who may act for the wallet now, as the SigningWorker has signed it. @throws YaoError `unknown_wallet`, `unlock_failed` */
  async credentials(): Promise<readonly CredentialRecord[]> {
    return (await this.#custody.authority()).credentials;
  }

  /**
   * Lets another credential, which is at hand on this device, act for the wallet and unwrap its root. No Deriver is asked to
   * compute. The new one is asked first, so that one that cannot wrap is never made the wallet's.
   */
  addCredential(credential: Credential): Promise<void> {
    return this.#custody.addCredential(credential);
  }

  /** From now on Derivers, SigningWorker and Router refuse this credential. @throws YaoError `invalid_request` for the last one */
  removeCredential(credentialId: Uint8Array): Promise<void> {
    return this.#custody.removeCredential(credentialId);
  }

  /** A key's lanes with their devices' names, as the SigningWorker states them. @throws YaoError `unknown_wallet`, `unlock_failed` */
  lanes({ keyIndex = 0 }: KeyChoice = {}): Promise<KeyLanes> {
    return this.#custody.lanes(keyIndex);
  }

  /** What the Router has noted about this wallet, newest first: who did what when, no secret. */
  audit(): Promise<readonly AuditEntry[]> {
    return this.#custody.audit();
  }

  /** Names the device of a lane, 1 to 64 bytes; its own without asking the user. */
  nameLane(lane: number, name: string, { keyIndex = 0 }: KeyChoice = {}): Promise<void> {
    return this.#custody.nameLane(keyIndex, lane, name);
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
    await this.#device.keepStaged(lane, this.#replace(lane.keyIndex));
    return { publicKey: lane.publicKey, answer };
  }

  #laneOf(keyIndex: number): LaneAccess {
    const known = this.#lanes.get(keyIndex) ?? new LaneAccess(this.#device, keyIndex);
    this.#lanes.set(keyIndex, known);
    return known;
  }

  #replace(keyIndex: number): Replace {
    return (act) => this.#laneOf(keyIndex).replace(act);
  }

  #tracked<T>(operation: WalletOperation, keyIndex: number, act: () => Promise<T>): Promise<T> {
    return this.#device.progress.of({ kind: 'operation', operation, keyIndex }, act);
  }

  /** One operation at a time may change a lane, and it first ends what an earlier one has left. */
  #change<T>(operation: WalletOperation, keyIndex: number, change: (resumed: Resumed | undefined) => Promise<T>): Promise<T> {
    return this.#laneOf(keyIndex).change(() =>
      this.#tracked(operation, keyIndex, async () => change(await this.#device.resume(keyIndex, this.#replace(keyIndex)))),
    );
  }
}

/** The lane and epoch that a registration makes: whatever follows has derived the key once more. */
const isFirst = ({ lane, epoch }: Pick<LaneStatus, 'lane' | 'epoch'>): boolean => lane === 1 && epoch === 1;

const isEpochOver = (error: unknown): boolean =>
  error instanceof YaoError && (error.code === 'epoch_retired' || error.code === 'epoch_mismatch');
