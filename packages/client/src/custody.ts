import { ask } from '@streaming-yao/ceremony/program';
import { equalBytes, type Json, YaoError } from '@streaming-yao/core';
import {
  type Authority,
  AuthorityAnswer,
  Authority as AuthorityMessage,
  AuthorityRequest,
  type Credential as CredentialRecord,
  FetchRoot,
  FetchRootAnswer,
  FetchRootStatement,
  idOfCredential,
  LanesAnswer,
  LanesRequest,
  LanesStatement,
  RevokeRequest,
  RevokeStatement,
  type SignedAuthority,
  StoreRoot,
  StoreRootStatement,
} from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import type { Device } from './device.ts';
import { type RootContents, unwrapRoot, wrapRoot } from './root.ts';

/** What a credential opens at the Router. */
export interface Unlocked extends RootContents {
  readonly rootId: Uint8Array;
  /** The authority on record; absent before the first activation. */
  readonly authority: Authority | undefined;
}

/** Whose credentials may act for a wallet, where its wrapped roots are, and which lanes it has. */
export class Custody {
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  /** Stores the root at the Router, wrapped for each credential, so that any of them can recover. */
  async storeRoots(credentials: readonly Credential[], contents: RootContents, rootId: Uint8Array): Promise<void> {
    const { walletId, pins } = this.#device.options;
    const { random, now } = this.#device.surroundings;
    for (const credential of credentials) {
      const record = await wrapRoot({ pins, walletId, rootId }, credential, contents, random);
      const statement = { deployment: pins.deployment, record, issuedAtMs: now() };
      const signature = await credential.sign(StoreRootStatement.encode(statement));
      const { kind, publicKey } = credential.record;
      await this.#ask('/v1/roots', StoreRoot.toJson({ statement, kind, publicKey, signature }));
    }
  }

  /** @throws YaoError `unlock_failed`, `unknown_wallet`, `authorization_invalid` */
  async unlock(): Promise<Unlocked> {
    const { credential, pins, walletId } = this.#device.options;
    const statement = {
      deployment: pins.deployment,
      walletId,
      credentialId: credential.id,
      issuedAtMs: this.#device.surroundings.now(),
    };
    const signature = await credential.sign(FetchRootStatement.encode(statement));
    const { kind, publicKey } = credential.record;
    const answer = await this.#ask('/v1/roots/fetch', FetchRoot.toJson({ statement, kind, publicKey, signature }));
    const { record, authority } = FetchRootAnswer.fromJson(answer);
    return { ...(await unwrapRoot(pins, credential, record)), rootId: record.rootId, authority: authority ?? undefined };
  }

  /** The first authority of a wallet, signed by this device's credential. */
  async firstAuthority(credentials: readonly Credential[]): Promise<SignedAuthority> {
    const { walletId, pins } = this.#device.options;
    const records = credentials.map(({ record }) => record);
    return this.#signed({ deployment: pins.deployment, walletId, version: 1, previous: null, credentials: records });
  }

  /** Makes `credentials` the wallet's; Derivers, SigningWorker and Router each check it. @returns the new authority */
  async changeCredentials(current: Authority, credentials: readonly CredentialRecord[]): Promise<Authority> {
    if (credentials.length === 0) {
      throw new YaoError('invalid_request', 'the last credential of a wallet cannot be removed; add another one first', {
        party: 'client',
      });
    }
    const next = { ...current, version: current.version + 1, previous: AuthorityMessage.digest(current), credentials };
    const update = await this.#signed(next);
    AuthorityAnswer.fromJson(await this.#ask('/v1/authority', AuthorityRequest.toJson({ update })));
    return next;
  }

  /** The credentials without one of them. @throws YaoError `invalid_request` when it is not there */
  without(authority: Authority, credentialId: Uint8Array): readonly CredentialRecord[] {
    const others = authority.credentials.filter((credential) => !equalBytes(idOfCredential(credential), credentialId));
    if (others.length < authority.credentials.length) return others;
    throw new YaoError('invalid_request', 'the wallet has no such credential; list its credentials', { party: 'client' });
  }

  async lanes(keyIndex: number): Promise<LanesAnswer> {
    const { credential, pins, walletId } = this.#device.options;
    const statement = { deployment: pins.deployment, walletId, keyIndex, issuedAtMs: this.#device.surroundings.now() };
    const signature = await credential.sign(LanesStatement.encode(statement));
    return LanesAnswer.fromJson(
      await this.#ask('/v1/lanes', LanesRequest.toJson({ statement, credentialId: credential.id, signature })),
    );
  }

  async revokeLane(keyIndex: number, lane: number): Promise<void> {
    const { credential, pins, walletId } = this.#device.options;
    const { now, random } = this.#device.surroundings;
    const statement = { deployment: pins.deployment, walletId, keyIndex, lane, issuedAtMs: now(), nonce: random(32) };
    const signature = await credential.sign(RevokeStatement.encode(statement));
    await this.#ask('/v1/lanes/revoke', RevokeRequest.toJson({ statement, credentialId: credential.id, signature }));
  }

  async #signed(authority: Authority): Promise<SignedAuthority> {
    const { credential } = this.#device.options;
    return { authority, credentialId: credential.id, signature: await credential.sign(AuthorityMessage.encode(authority)) };
  }

  #ask(path: string, body: Json): Promise<unknown> {
    return this.#device.run(ask(path, body));
  }
}
