import {
  type Credential,
  type Exported,
  ed25519Credential,
  type KeyFormat,
  type KeyLanes,
  type LaneStatus,
  type LinkFacts,
  type OpenSession,
  type RouterConnection,
  recoveryCredential,
  type Storage,
  Wallet,
  wipeDeviceKeys,
  YaoError,
} from '@streaming-yao/client';
import { equalBytes, SecretBytes, toHex } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { type AuditEntry, type Credential as CredentialRecord, idOfCredential, type Pins } from '@streaming-yao/wire';
import { dropLinkKeys, keepLinkKeys, recallLinkKeys } from './link-keys.ts';
import type { Passkeys } from './passkeys.ts';
import { forgetAll, type Profile, readProfile, writeProfile } from './profile.ts';
import { typedPhrase } from './typed-phrase.ts';

export interface DeviceWalletParts {
  readonly router: RouterConnection;
  readonly pins: Pins;
  readonly group: Group;
  readonly storage: Storage;
  readonly passkeys: Passkeys;
  /** Asks the person for the recovery phrase; `undefined` when they decline. */
  readonly askPhrase: () => Promise<string | undefined>;
}

/** How this device gets in by itself. */
export type Access = 'passkey' | 'phrase' | 'linked';

/** A wallet that recovers from a phrase alone is named after it: the first 16 bytes of a hash of the phrase's public key. */
export const walletIdOf = (recovery: Credential): string => `w-${toHex(recovery.id)}`;

/** The one wallet of this browser: what the page may do with it, each way in the terms of the client library. */
export class DeviceWallet {
  readonly #parts: DeviceWalletParts;
  #profile: Profile | undefined;
  #wallet: Wallet | undefined;

  constructor(parts: DeviceWalletParts) {
    this.#parts = parts;
  }

  /** Reads what the browser keeps, anew after another tab has changed it. */
  async reload(): Promise<void> {
    this.#wallet?.lock();
    this.#wallet = undefined;
    this.#profile = await readProfile(this.#parts.storage);
  }

  get profile(): Profile | undefined {
    return this.#profile;
  }

  get access(): Access {
    const credential = this.#profile?.credential;
    if (!credential) return 'linked';
    return credential.kind === 'passkey' ? 'passkey' : 'phrase';
  }

  /** Ends what a reload, a crash or a lost answer interrupted. @returns whether there was anything */
  async resume(): Promise<boolean> {
    if (!this.#profile) return false;
    const resumed = await this.wallet.resume();
    if (resumed) await this.#noteKey();
    return resumed;
  }

  /** Makes the wallet; begun anew, it goes on with the passkey that it has made already. */
  async create(phrase: string, withPasskey: boolean): Promise<void> {
    const recovery = recoveryCredential(this.#parts.group, phrase);
    const walletId = walletIdOf(recovery);
    await this.#refuseSecond();
    if (this.#profile?.walletId !== walletId || withPasskey !== (this.access === 'passkey')) {
      const credential = withPasskey ? await this.#parts.passkeys.enrol(walletId) : recovery.record;
      await this.#keep({ walletId, origin: 'register', publicKey: null, credential });
    }
    if (!withPasskey) this.#wallet = this.#open(walletId, recovery);
    await this.wallet.register({ recovery: withPasskey ? [recovery] : [] });
    await this.#noteKey();
  }

  /** Gets this device the share that it was waiting for when it was interrupted. */
  async finish(): Promise<void> {
    if (await this.resume()) return;
    if (this.#known().origin === 'register') await this.wallet.register();
    else await this.wallet.recover({ keepLanes: true });
    await this.#noteKey();
  }

  async recover(phrase: string, keepLanes: boolean): Promise<void> {
    const credential = recoveryCredential(this.#parts.group, phrase);
    const walletId = walletIdOf(credential);
    await this.#refuseSecond();
    await this.#keep({ walletId, origin: 'recover', publicKey: null, credential: credential.record });
    this.#wallet = this.#open(walletId, credential);
    await this.#recoverOrForget(keepLanes);
  }

  /** A phrase or passkey of no wallet leaves nothing behind; after a lost connection the same request can be sent again. */
  async #recoverOrForget(keepLanes: boolean): Promise<void> {
    try {
      await this.wallet.recover({ keepLanes });
      await this.#noteKey();
    } catch (error) {
      if (!(error instanceof YaoError && error.retryable)) await this.#keep(undefined);
      throw error;
    }
  }

  /** With a passkey that the browser or its provider already has. */
  async openWithPasskey(): Promise<void> {
    await this.#refuseSecond();
    const { credential, walletId, session } = await this.#parts.passkeys.discover();
    const wallet = this.#open(walletId, credential, session);
    await wallet.recover({ keepLanes: true });
    const record = (await wallet.credentials()).find((known) => equalBytes(idOfCredential(known), credential.id));
    await this.#keep({ walletId, origin: 'recover', publicKey: await wallet.publicKey(), credential: record ?? null });
  }

  sign(message: Uint8Array) {
    return this.wallet.sign(message);
  }

  async refresh(): Promise<void> {
    await this.wallet.refresh();
  }

  /** What this device holds. @throws YaoError `not_ready` without a share */
  async status(): Promise<LaneStatus> {
    const status = await this.wallet.status();
    if (status) return status;
    throw new YaoError('not_ready', 'this device has no share of the key', { party: 'client' });
  }

  /** Whether a second derivation has come to the same key: only then should it be given funds. */
  confirmDerivation(): Promise<boolean> {
    return this.wallet.confirmDerivation();
  }

  /** Always asks again: whoever finds the page unlocked must not get the key. */
  exportKey(format: KeyFormat): Promise<Exported> {
    this.wallet.lock();
    return this.wallet.exportKey({ format });
  }

  lanes(): Promise<KeyLanes> {
    return this.wallet.lanes();
  }

  removeLane(lane: number): Promise<void> {
    return this.wallet.revokeLane(lane);
  }

  credentials(): Promise<readonly CredentialRecord[]> {
    return this.wallet.credentials();
  }

  /** From now on the device uses the new passkey, and asks for the phrase no more. */
  async addPasskey(): Promise<void> {
    const { passkeys } = this.#parts;
    const profile = this.#known();
    const isFirst = this.access === 'phrase';
    const record = isFirst
      ? await passkeys.enrol(profile.walletId)
      : await passkeys.another(profile.walletId, await this.credentials());
    await this.wallet.addCredential(passkeys.open(record));
    if (isFirst) await this.#keep({ ...profile, credential: record });
  }

  async removeCredential(id: Uint8Array): Promise<void> {
    await this.wallet.removeCredential(id);
  }

  audit(): Promise<readonly AuditEntry[]> {
    return this.wallet.audit();
  }

  approve(offer: Parameters<Wallet['approveLink']>[0]): Promise<LinkFacts> {
    return this.wallet.approveLink(offer);
  }

  /** Makes keys for a share that another device may grant this one. */
  async offer() {
    const { keys, offer } = this.#open('w-offer', throwaway(this.#parts.group)).offerLink();
    await keepLinkKeys(this.#parts.storage, keys);
    wipeDeviceKeys(keys);
    return offer;
  }

  /** @throws YaoError `not_ready` on a device that has offered nothing */
  async accept(facts: LinkFacts): Promise<void> {
    const { storage } = this.#parts;
    await this.#refuseSecond();
    const keys = await recallLinkKeys(storage);
    if (!keys) throw new YaoError('not_ready', 'this device has asked for no share; begin anew', { party: 'client' });
    const linked = this.#open(facts.walletId, throwaway(this.#parts.group)).acceptLink(facts, keys);
    const publicKey = await linked.finally(() => wipeDeviceKeys(keys));
    await this.#keep({ walletId: facts.walletId, origin: 'link', publicKey, credential: null });
    await dropLinkKeys(storage);
  }

  async forget(): Promise<void> {
    await forgetAll(this.#parts.storage);
    await this.reload();
  }

  /** Forgets what the person has unlocked. */
  lock(): void {
    this.#wallet?.lock();
  }

  get wallet(): Wallet {
    const { walletId, credential } = this.#known();
    this.#wallet ??= this.#open(walletId, credential ? this.#credentialOf(credential) : throwaway(this.#parts.group));
    return this.#wallet;
  }

  #credentialOf(record: CredentialRecord): Credential {
    const { group, passkeys, askPhrase } = this.#parts;
    return record.kind === 'passkey' ? passkeys.open(record) : typedPhrase(group, record, askPhrase);
  }

  #open(walletId: string, credential: Credential, session?: OpenSession): Wallet {
    const { router, pins, group, storage } = this.#parts;
    // The page lets the person begin the second derivation, since a passkey has to be asked for it.
    const options = {
      router,
      pins,
      group,
      storage,
      walletId,
      credential,
      timeline: true,
      secondDerivation: false,
      prefetch: true,
    };
    return new Wallet({ ...options, ...(session && { session }) });
  }

  #known(): Profile {
    if (this.#profile) return this.#profile;
    throw new YaoError('not_ready', 'there is no wallet on this device', { party: 'client' });
  }

  /** Another tab may have made a wallet since this one was opened. @throws YaoError `key_exists` */
  async #refuseSecond(): Promise<void> {
    const kept = await readProfile(this.#parts.storage);
    if (!kept?.publicKey) return;
    throw new YaoError('key_exists', 'this browser has a wallet already; forget it first', { party: 'client' });
  }

  async #keep(profile: Profile | undefined): Promise<void> {
    await writeProfile(this.#parts.storage, profile);
    await this.reload();
  }

  async #noteKey(): Promise<void> {
    const profile = this.#known();
    const publicKey = await this.wallet.publicKey();
    if (profile.publicKey) return;
    await writeProfile(this.#parts.storage, { ...profile, publicKey });
    this.#profile = { ...profile, publicKey };
  }
}

/** A linked device acts by its lane alone; the library wants a credential, which no role knows. */
const throwaway = (group: Group): Credential =>
  ed25519Credential(group, SecretBytes.own(crypto.getRandomValues(new Uint8Array(32))), 'device', 'linked device');
