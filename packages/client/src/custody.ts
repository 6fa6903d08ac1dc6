import { askLanes, type KeyLanes, lanesOfKey, type RootSource } from '@streaming-yao/ceremony/client';
import { ask } from '@streaming-yao/ceremony/program';
import { type ErrorCode, equalBytes, type Json, YaoError } from '@streaming-yao/core';
import {
  AuditAnswer,
  type AuditEntry,
  AuditRequest,
  AuditStatement,
  type Authority,
  AuthorityAnswer,
  Authority as AuthorityMessage,
  ChangeAuthority,
  type Credential as CredentialRecord,
  FetchRoot,
  FetchRootAnswer,
  FetchRootStatement,
  idOfCredential,
  type LanesAnswer,
  type LanesRequest,
  LanesStatement,
  RevokeRequest,
  RevokeStatement,
  StoreRoot,
  StoreRootStatement,
  type WrappedRoot,
} from '@streaming-yao/wire';
import { Approval, bySession } from './approval.ts';
import type { Credential } from './credential.ts';
import { checkDeviceName, type Device } from './device.ts';
import { observedCredential } from './event.ts';
import { type RootContents, unwrapRoot, wrapRoot } from './root.ts';

/** What a credential opens at the Router. */
export interface Unlocked extends RootContents {
  readonly wrapped: WrappedRoot;
  /** The authority on record; absent before the first activation. */
  readonly authority: Authority | undefined;
}

type Reader = LanesRequest['reader'];

/** A credential that the client root is wrapped for. */
export interface RootHolder {
  readonly approval: Approval;
  readonly record: CredentialRecord;
}

const LANE_ENDED: ReadonlySet<ErrorCode> = new Set(['epoch_retired', 'lane_unknown', 'authorization_invalid']);

/** Whose credentials may act for a wallet, where its wrapped roots are, and which lanes it has. */
export class Custody {
  readonly #device: Device;
  #stored: Promise<void> = Promise.resolve();

  constructor(device: Device) {
    this.#device = device;
  }

  /** A credential that this device can ask, and how an authority names it. @throws YaoError `invalid_request` */
  holder(credential: Credential, authority?: Authority): RootHolder {
    const { approval } = this.#device;
    const named = authority?.credentials.find((candidate) => equalBytes(idOfCredential(candidate), credential.id));
    const record = credential.record ?? named;
    if (!record) {
      throw new YaoError('invalid_request', 'this passkey was not made on this device; recover with it first', {
        party: 'client',
      });
    }
    const own = equalBytes(credential.id, approval.credential.id);
    if (own) return { approval, record };
    const { progress, surroundings } = this.#device;
    return { approval: new Approval(observedCredential(credential, progress), surroundings), record };
  }

  /** Wraps the root for each holder, so that any of them can recover; each is asked, unless it is unlocked. */
  async wrapRoots(holders: readonly RootHolder[], contents: RootContents, rootId: Uint8Array): Promise<readonly StoreRoot[]> {
    const { walletId, pins } = this.#device.options;
    const { random, now, group } = this.#device.surroundings;
    const roots: StoreRoot[] = [];
    for (const { approval, record: credential } of holders) {
      const open = await approval.session();
      const record = wrapRoot({ pins, walletId, rootId }, approval.credential.id, open.wrappingKey, contents, random);
      const statement = { deployment: pins.deployment, record, credential, issuedAtMs: now() };
      roots.push({ statement, ...bySession(group, open, StoreRootStatement.encode(statement)) });
    }
    return roots;
  }

  /** One after the other, so that the root that was wrapped last is the one that stays. */
  storeRoots(roots: readonly StoreRoot[]): Promise<void> {
    const stored = this.#stored.then(async () => {
      await Promise.all(roots.map((root) => this.#ask('/v1/roots', StoreRoot.toJson(root))));
    });
    this.#stored = stored.catch(() => undefined);
    return stored;
  }

  /** Fetches this credential's wrapped root and opens it. @throws YaoError `unlock_failed`, `unknown_wallet`, `authorization_invalid` */
  async unlock(): Promise<Unlocked> {
    const { pins, walletId } = this.#device.options;
    const open = await this.#device.approval.session();
    const statement = { deployment: pins.deployment, walletId, issuedAtMs: this.#device.surroundings.now() };
    const request = FetchRoot.toJson({
      statement,
      ...bySession(this.#device.surroundings.group, open, FetchRootStatement.encode(statement)),
    });
    const { record, authority } = FetchRootAnswer.fromJson(await this.#ask('/v1/roots/fetch', request));
    return { ...unwrapRoot(pins, open.wrappingKey, record), wrapped: record, authority: authority ?? undefined };
  }

  /** Opens a root that is at hand with what the user unlocked last. @throws YaoError `unlock_failed` */
  open(wrapped: WrappedRoot): RootContents {
    return unwrapRoot(this.#device.options.pins, this.#device.approval.current().wrappingKey, wrapped);
  }

  /** The client root for a ceremony: opened with the ceremony's own approval where this device has it wrapped. */
  async rootSource(): Promise<RootSource> {
    const wrapped = await this.wrappedRoot();
    return () => this.open(wrapped).root;
  }

  /** The root as it is wrapped for this device's credential: kept here, or else fetched, which may ask the user. */
  async wrappedRoot(): Promise<WrappedRoot> {
    const kept = (await this.#device.facts())?.wrapped;
    // A device that has changed from one credential to another keeps what the former one opens.
    const isOwn = kept && equalBytes(kept.credentialId, this.#device.approval.credential.id);
    return isOwn ? kept : await this.#fetchWrapped();
  }

  async #fetchWrapped(): Promise<WrappedRoot> {
    const { root, wrapped, authority } = await this.unlock();
    root.wipe();
    if (authority) await this.#device.keepFacts({ authority, wrapped });
    return wrapped;
  }

  /**
   * Makes `credentials` the wallet's; Derivers, SigningWorker and Router each check it.
   * @param added whom the root is wrapped for, and stored with the change: no credential is the wallet's that cannot recover it
   */
  async #changeCredentials(
    current: Authority,
    credentials: readonly CredentialRecord[],
    added: readonly RootHolder[],
  ): Promise<void> {
    if (credentials.length === 0) {
      throw new YaoError('invalid_request', 'the last credential of a wallet cannot be removed; add another one first', {
        party: 'client',
      });
    }
    const authority = { ...current, version: current.version + 1, previous: AuthorityMessage.digest(current), credentials };
    const proof = await this.#device.approval.prove(AuthorityMessage.encode(authority));
    const roots = await this.#wrapFor(added);
    AuthorityAnswer.fromJson(await this.#ask('/v1/authority', ChangeAuthority.toJson({ update: { authority, proof }, roots })));
    const facts = await this.#device.facts();
    if (facts) await this.#device.keepFacts({ ...facts, authority });
  }

  /** The wallet's root, with what is unlocked of it, wrapped for others as well. */
  async #wrapFor(holders: readonly RootHolder[]): Promise<readonly StoreRoot[]> {
    if (holders.length === 0) return [];
    const wrapped = await this.wrappedRoot();
    const { root, keys } = this.open(wrapped);
    using kept = root;
    return await this.wrapRoots(holders, { root: kept, keys }, wrapped.rootId);
  }

  /** Lets another credential act for the wallet and unwrap its root; the new one is asked first. */
  async addCredential(credential: Credential): Promise<void> {
    const added = this.holder(credential);
    await added.approval.session();
    const authority = await this.authority();
    const member = authority.credentials.some((existing) => equalBytes(idOfCredential(existing), credential.id));
    if (member) {
      await this.#device.approval.session();
      await this.storeRoots(await this.#wrapFor([added]));
    } else await this.#changeCredentials(authority, [...authority.credentials, added.record], [added]);
    added.approval.lock();
  }

  /** @throws YaoError `invalid_request` for the last one, and for one that is not there */
  async removeCredential(credentialId: Uint8Array): Promise<void> {
    const authority = await this.authority();
    await this.#changeCredentials(authority, this.#without(authority, credentialId), []);
  }

  /**
   * Acts under the authority that this device heard of last, and once more under the present one where that was changed elsewhere:
   * the roles tell, so that nobody has to be asked first.
   */
  async withAuthority<T>(keyIndex: number, act: (authority: Authority) => Promise<T>): Promise<T> {
    const facts = await this.#device.facts();
    try {
      if (facts) return await act(facts.authority);
    } catch (error) {
      if (!(error instanceof YaoError) || error.code !== 'authority_mismatch') throw error;
    }
    const authority = await this.authority(keyIndex);
    if (facts) await this.#device.keepFacts({ ...facts, authority });
    return await act(authority);
  }

  /** The credentials without one of them. @throws YaoError `invalid_request` when it is not there */
  #without(authority: Authority, credentialId: Uint8Array): readonly CredentialRecord[] {
    const others = authority.credentials.filter((credential) => !equalBytes(idOfCredential(credential), credentialId));
    if (others.length < authority.credentials.length) return others;
    throw new YaoError('invalid_request', 'the wallet has no such credential; list its credentials', { party: 'client' });
  }

  /**
   * A key's lanes and the wallet's authority; no user is asked where this device has one of the lanes.
   * @throws YaoError `unknown_wallet`
   */
  async lanes(keyIndex: number): Promise<KeyLanes> {
    return lanesOfKey(keyIndex, await this.#lanesIfAny(keyIndex));
  }

  /**
   * Who may act for the wallet now, whichever keys it has; no user is asked where this device has a lane of the named one.
   * @throws YaoError `unknown_wallet`
   */
  async authority(keyIndex = 0): Promise<Authority> {
    return (await this.#lanesIfAny(keyIndex)).authority;
  }

  async #lanesIfAny(keyIndex: number): Promise<LanesAnswer> {
    const { approval } = this.#device;
    if (approval.isOpen || !(await this.#device.laneIfAny(keyIndex)))
      return this.#lanesAs(keyIndex, async (message) => ({
        kind: 'session',
        ...bySession(this.#device.surroundings.group, await approval.session(), message),
      }));
    try {
      return await this.#device.useLane(keyIndex, ({ lane, laneSeed }) =>
        this.#lanesAs(keyIndex, (message) => {
          const signature = this.#device.surroundings.group.signEd25519(laneSeed, message);
          return { kind: 'lane', lane, signature };
        }),
      );
    } catch (error) {
      // Over, or taken on elsewhere under another lane key: the user has to be asked after all.
      const ended = error instanceof YaoError && LANE_ENDED.has(error.code);
      if (!ended) throw error;
      await approval.session();
      return await this.#lanesIfAny(keyIndex);
    }
  }

  async #lanesAs(keyIndex: number, sign: (message: Uint8Array) => Reader | Promise<Reader>): Promise<LanesAnswer> {
    const { pins, walletId } = this.#device.options;
    const statement = { deployment: pins.deployment, walletId, keyIndex, issuedAtMs: this.#device.surroundings.now() };
    const reader = await sign(LanesStatement.encode(statement));
    return this.#device.run(askLanes(this.#device.surroundings, { statement, reader }));
  }

  /** What the Router has noted about the wallet, newest first. */
  async audit(): Promise<readonly AuditEntry[]> {
    const { pins, walletId } = this.#device.options;
    const open = await this.#device.approval.session();
    const statement = { deployment: pins.deployment, walletId, issuedAtMs: this.#device.surroundings.now() };
    const request = AuditRequest.toJson({
      statement,
      ...bySession(this.#device.surroundings.group, open, AuditStatement.encode(statement)),
    });
    return AuditAnswer.fromJson(await this.#ask('/v1/audit', request)).entries;
  }

  /** @throws YaoError `invalid_request`, `lane_unknown`, `epoch_retired` */
  async nameLane(keyIndex: number, lane: number, name: string): Promise<void> {
    checkDeviceName(name);
    const named = { keyIndex, lane };
    if ((await this.#device.laneIfAny(keyIndex))?.lane === lane) {
      return this.#device.useLane(keyIndex, (own) => this.#device.nameLane(named, name, this.#device.byLane(own)));
    }
    await this.#device.nameLane(named, name, async (message) => ({
      ...{ kind: 'credential', proof: await this.#device.approval.prove(message) },
    }));
  }

  async revokeLane(keyIndex: number, lane: number): Promise<void> {
    const { pins, walletId } = this.#device.options;
    const { now, random } = this.#device.surroundings;
    const statement = { deployment: pins.deployment, walletId, keyIndex, lane, issuedAtMs: now(), nonce: random(32) };
    const proof = await this.#device.approval.prove(RevokeStatement.encode(statement));
    await this.#ask('/v1/lanes/revoke', RevokeRequest.toJson({ statement, proof }));
  }

  #ask(path: string, body: Json): Promise<unknown> {
    return this.#device.run(ask(path, body));
  }
}
