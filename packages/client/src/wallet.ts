import {
  type ClientSurroundings,
  exportSeed,
  type Intent,
  type Lane,
  obtainLane,
  pendingName,
} from '@streaming-yao/ceremony/client';
import { ask, type Program, run } from '@streaming-yao/ceremony/program';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import {
  Authority,
  type CeremonyAnswer,
  FetchRoot,
  FetchRootAnswer,
  FetchRootStatement,
  type Pins,
  type SignedAuthority,
  StoreRoot,
  StoreRootStatement,
} from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import { formatKey, type KeyFormat, parseKeyFormat } from './key-format.ts';
import { decodeLane, decodeWallet, encodeLane, encodeWallet, laneName, walletName } from './lane-record.ts';
import { createPerformer } from './perform.ts';
import { type RootContents, unwrapRoot, wrapRoot } from './root.ts';
import { connectRouter, type RouterConnection } from './router-connection.ts';
import { LaneSigner, type Signed } from './signer.ts';
import type { Storage } from './storage.ts';

export interface WalletOptions {
  /** The Router's address, or a connection of one's own. */
  readonly router: string | RouterConnection;
  /** The deployment's verification keys, built into the app. */
  readonly pins: Pins;
  readonly walletId: string;
  readonly storage: Storage;
  /** What this device's user authorizes and unlocks with. */
  readonly credential: Credential;
  readonly group: Group;
  readonly random?: (length: number) => Uint8Array;
  readonly now?: () => number;
}

export interface Registered {
  /** A standard Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Receipt and activation, for whoever wants to check them again. */
  readonly answer: CeremonyAnswer;
}

export interface Exported {
  readonly key: string | Uint8Array;
  readonly answer: CeremonyAnswer;
}

const systemRandom = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** A wallet on one device: keys that nobody holds, made and used together with the deployment. */
export class Wallet {
  readonly #options: WalletOptions;
  readonly #s: ClientSurroundings;
  readonly #perform: ReturnType<typeof createPerformer>;
  readonly #signers = new Map<number, LaneSigner>();

  constructor(options: WalletOptions) {
    this.#options = options;
    const { pins, group, random = systemRandom, now = Date.now, storage, credential } = options;
    this.#s = { pins, group, random, now };
    const router = typeof options.router === 'string' ? connectRouter(options.router) : options.router;
    this.#perform = createPerformer({ group, router, storage, credentials: [credential] });
  }

  /**
   * Makes a key that nobody ever holds, and this device's lane of it.
   * @param recovery credentials besides this device's that may act for the wallet and unwrap its root
   * @throws YaoError `key_exists`, and whatever a ceremony may end with
   */
  async register({
    keyIndex = 0,
    recovery = [],
  }: {
    keyIndex?: number;
    recovery?: readonly Credential[];
  } = {}): Promise<Registered> {
    const known = await this.#facts();
    const credentials = [this.#options.credential, ...recovery];
    const { contents, rootId } = known ? { contents: await this.#unlock(), rootId: known.rootId } : this.#newRoot();
    using root = contents.root;
    if (!known) await this.#storeRoots(credentials, { root, keys: [] }, rootId);
    const signed = known ? undefined : await this.#firstAuthority(credentials);
    const authority = known?.authority ?? (signed as SignedAuthority).authority;
    const intent = this.#intent('register', {
      keyIndex,
      lane: 1,
      expectedEpoch: 0,
      registeredKey: null,
      authority,
      authorityUpdates: signed ? [signed] : [],
    });
    const { result: lane, answer } = await this.#run(obtainLane(this.#s, intent, root));
    await this.#keepLane(lane);
    await this.#options.storage.set(walletName(this.#options.walletId), encodeWallet({ authority, rootId }));
    const keys = [...contents.keys.filter((key) => key.keyIndex !== keyIndex), { keyIndex, publicKey: lane.publicKey }];
    await this.#storeRoots(known ? [this.#options.credential] : credentials, { root, keys }, rootId);
    return { publicKey: lane.publicKey, answer };
  }

  /**
   * Signs a message with this device's share and the SigningWorker's.
   * @returns an RFC 8032 signature, verified before it is returned
   * @throws YaoError `not_ready` without a lane on this device, `presign_spent`, `epoch_mismatch`
   */
  async sign(message: Uint8Array, { keyIndex = 0 }: { keyIndex?: number } = {}): Promise<Signed> {
    return this.#run((await this.#signer(keyIndex)).sign(message));
  }

  /** Fetches commitments ahead, so that the next signature is one request. */
  async prefetch({ keyIndex = 0 }: { keyIndex?: number } = {}): Promise<void> {
    await this.#run((await this.#signer(keyIndex)).prefetch());
  }

  /**
   * Gives out the whole key in a standard form, after a fresh authorization. From then on it is the holder's to protect.
   * @throws YaoError `unknown_format` before anything is asked, `public_key_mismatch`
   */
  async exportKey({ format, keyIndex = 0 }: { format: KeyFormat; keyIndex?: number }): Promise<Exported> {
    parseKeyFormat(format);
    const lane = await this.#lane(keyIndex);
    const facts = await this.#facts();
    if (!facts) throw this.#notReady(keyIndex);
    using root = (await this.#unlock()).root;
    const { publicKey } = lane;
    const intent = this.#intent('export', {
      keyIndex,
      lane: lane.lane,
      expectedEpoch: lane.epoch,
      registeredKey: publicKey,
      authority: facts.authority,
      authorityUpdates: [],
    });
    const { result, answer } = await this.#run(exportSeed(this.#s, intent, root));
    using seed = result;
    await this.#options.storage.set(pendingName(this.#options.walletId, keyIndex), undefined);
    return { key: formatKey(format, seed, publicKey), answer };
  }

  /** The key's public key as this device knows it. @throws YaoError `not_ready` */
  async publicKey({ keyIndex = 0 }: { keyIndex?: number } = {}): Promise<Uint8Array> {
    return (await this.#lane(keyIndex)).publicKey;
  }

  #run<T>(program: Program<T>): Promise<T> {
    return run(program, this.#perform);
  }

  #intent(
    operation: Intent['operation'],
    rest: Omit<Intent, 'operation' | 'walletId' | 'credentialId' | 'retireOtherLanes'>,
  ): Intent {
    const { walletId, credential } = this.#options;
    return { operation, walletId, credentialId: credential.id, retireOtherLanes: false, ...rest };
  }

  #newRoot(): { contents: RootContents; rootId: Uint8Array } {
    return { contents: { root: SecretBytes.own(this.#s.random(32)), keys: [] }, rootId: this.#s.random(32) };
  }

  async #firstAuthority(credentials: readonly Credential[]): Promise<SignedAuthority> {
    const { walletId, credential, pins } = this.#options;
    const records = credentials.map(({ record }) => record);
    const authority: Authority = { deployment: pins.deployment, walletId, version: 1, previous: null, credentials: records };
    return { authority, credentialId: credential.id, signature: await credential.sign(Authority.encode(authority)) };
  }

  /** Stores the root at the Router, wrapped for each credential, so that any of them can recover. */
  async #storeRoots(credentials: readonly Credential[], contents: RootContents, rootId: Uint8Array): Promise<void> {
    const { walletId, pins } = this.#options;
    for (const credential of credentials) {
      const record = await wrapRoot({ pins, walletId, rootId }, credential, contents, this.#s.random);
      const statement = { deployment: pins.deployment, record, issuedAtMs: this.#s.now() };
      const signature = await credential.sign(StoreRootStatement.encode(statement));
      const { kind, publicKey } = credential.record;
      await this.#run(ask('/v1/roots', StoreRoot.toJson({ statement, kind, publicKey, signature })));
    }
  }

  async #unlock(): Promise<RootContents> {
    const { credential, pins, walletId } = this.#options;
    const statement = { deployment: pins.deployment, walletId, credentialId: credential.id, issuedAtMs: this.#s.now() };
    const signature = await credential.sign(FetchRootStatement.encode(statement));
    const { kind, publicKey } = credential.record;
    const answer = await this.#run(ask('/v1/roots/fetch', FetchRoot.toJson({ statement, kind, publicKey, signature })));
    return unwrapRoot(pins, credential, FetchRootAnswer.fromJson(answer).record);
  }

  async #facts() {
    const record = await this.#options.storage.get(walletName(this.#options.walletId));
    return record && decodeWallet(record);
  }

  /** The lane becomes durable before the request that could fetch it again is forgotten. */
  async #keepLane(lane: Lane): Promise<void> {
    const { storage } = this.#options;
    using record = encodeLane(lane);
    await storage.set(laneName(lane.walletId, lane.keyIndex), record);
    await storage.set(pendingName(lane.walletId, lane.keyIndex), undefined);
    this.#signers.set(lane.keyIndex, new LaneSigner(this.#s, lane));
  }

  async #signer(keyIndex: number): Promise<LaneSigner> {
    const known = this.#signers.get(keyIndex);
    if (known) return known;
    const signer = new LaneSigner(this.#s, await this.#lane(keyIndex));
    this.#signers.set(keyIndex, signer);
    return signer;
  }

  async #lane(keyIndex: number): Promise<Lane> {
    using record = await this.#options.storage.get(laneName(this.#options.walletId, keyIndex));
    if (!record) throw this.#notReady(keyIndex);
    return decodeLane(record);
  }

  #notReady(keyIndex: number): YaoError {
    return new YaoError('not_ready', `this device has no lane of key ${keyIndex}; register, recover or link first`, {
      party: 'client',
    });
  }
}
