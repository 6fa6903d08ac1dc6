import {
  type Credential,
  type Exported,
  ed25519Credential,
  type KeyFormat,
  type LinkFacts,
  type OpenSession,
  type RouterConnection,
  recoveryCredential,
  type Storage,
  Wallet,
  YaoError,
} from '@streaming-yao/client';
import { SecretBytes, toHex } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import {
  type AuditEntry,
  type Credential as CredentialRecord,
  idOfCredential,
  type LanesAnswer,
  type Pins,
} from '@streaming-yao/wire';
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
    const recovery = recoveryCredential(phrase);
    const walletId = walletIdOf(recovery);
    if (this.#profile?.walletId !== walletId || withPasskey !== (this.access === 'passkey')) {
      const credential = withPasskey ? await this.#parts.passkeys.enrol(walletId) : recovery.record;
      await this.#begin({ walletId, publicKey: null, credential });
    }
    await this.wallet.register({ recovery: withPasskey ? [recovery] : [] });
    await this.#noteKey();
  }

  /** Makes the key of a wallet whose making was interrupted. */
  async finish(): Promise<void> {
    if (!(await this.resume())) await this.wallet.register();
    await this.#noteKey();
  }

  async recover(phrase: string, keepLanes: boolean): Promise<void> {
    const credential = recoveryCredential(phrase);
    const walletId = walletIdOf(credential);
    const wallet = this.#open(walletId, credential);
    await wallet.recover({ keepLanes });
    await this.#begin({ walletId, publicKey: await wallet.publicKey(), credential: credential.record });
    this.#wallet = wallet;
  }

  /** With a passkey that the browser or its provider already has. */
  async openWithPasskey(): Promise<void> {
    const { credential, walletId, session } = await this.#parts.passkeys.discover();
    const wallet = this.#open(walletId, credential, session);
    await wallet.recover({ keepLanes: true });
    const record = (await wallet.credentials()).find((known) => toHex(idOfCredential(known)) === toHex(credential.id));
    await this.#begin({ walletId, publicKey: await wallet.publicKey(), credential: record ?? null });
  }

  sign(message: Uint8Array) {
    return this.wallet.sign(message);
  }

  async refresh(): Promise<void> {
    await this.wallet.refresh();
  }

  /** Number and epoch of this device's share. */
  async status(): Promise<{ readonly lane: number; readonly epoch: number }> {
    return (await this.wallet.status()) ?? { lane: 0, epoch: 0 };
  }

  /** Always asks again: whoever finds the page unlocked must not get the key. */
  exportKey(format: KeyFormat): Promise<Exported> {
    this.wallet.lock();
    return this.wallet.exportKey({ format });
  }

  lanes(): Promise<LanesAnswer> {
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
    const { walletId, publicKey } = this.#known();
    const record = await this.#parts.passkeys.enrol(walletId);
    await this.wallet.addCredential(this.#parts.passkeys.open(record));
    if (this.access === 'phrase') await this.#begin({ walletId, publicKey, credential: record });
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
    const { keys, offer } = this.#open('w-offer', throwaway()).offerLink();
    await keepLinkKeys(this.#parts.storage, keys);
    return offer;
  }

  /** @throws YaoError `not_ready` on a device that has offered nothing */
  async accept(facts: LinkFacts): Promise<void> {
    const { storage } = this.#parts;
    const keys = await recallLinkKeys(storage);
    if (!keys) throw new YaoError('not_ready', 'this device has asked for no share; begin anew', { party: 'client' });
    const publicKey = await this.#open(facts.walletId, throwaway()).acceptLink(facts, keys);
    await dropLinkKeys(storage);
    await this.#begin({ walletId: facts.walletId, publicKey, credential: null });
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
    this.#wallet ??= this.#open(walletId, credential ? this.#credentialOf(credential) : throwaway());
    return this.#wallet;
  }

  #credentialOf(record: CredentialRecord): Credential {
    const { passkeys, askPhrase } = this.#parts;
    return record.kind === 'passkey' ? passkeys.open(record) : typedPhrase(record, askPhrase);
  }

  #open(walletId: string, credential: Credential, session?: OpenSession): Wallet {
    const { router, pins, group, storage } = this.#parts;
    return new Wallet({ router, pins, group, storage, walletId, credential, timeline: true, ...(session && { session }) });
  }

  #known(): Profile {
    if (this.#profile) return this.#profile;
    throw new YaoError('not_ready', 'there is no wallet on this device', { party: 'client' });
  }

  async #begin(profile: Profile): Promise<void> {
    await writeProfile(this.#parts.storage, profile);
    await this.reload();
  }

  async #noteKey(): Promise<void> {
    const profile = this.#known();
    const publicKey = await this.wallet.publicKey();
    if (!profile.publicKey) await this.#begin({ ...profile, publicKey });
  }
}

/** A linked device acts by its lane alone; the library wants a credential, which no role knows. */
const throwaway = (): Credential =>
  ed25519Credential(SecretBytes.own(crypto.getRandomValues(new Uint8Array(32))), 'device', 'linked device');
