import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, errorFromBody, type Json, LIMITS, type SecretBytes, YaoError } from '@streaming-yao/core';
import {
  type CeremonyRequest,
  Core,
  ceremonyIdOf,
  DeriverAnswer,
  DeriverCall,
  type DeriverRole,
  GRANT_HEADER,
  Grant,
  KeysAnswer,
  type Role,
  type SignedHpkeKey,
  type SignedReceipt,
  signingInput,
  toCompact,
} from '@streaming-yao/wire';
import { issueCallToken } from '@streaming-yao/workers/call-token';
import { importSigningKey } from '@streaming-yao/workers/signatures';
import type { Stack } from '../../tools/stack.ts';
import { stolenSecret } from './key-folder.ts';

/** What the Router's owner hands to a Deriver, true or not. */
export interface Relayed {
  readonly request: CeremonyRequest;
  /** Digest of the other Deriver's envelope, where not the true one. */
  readonly peerEnvelope?: Uint8Array;
  readonly signingWorkerKey?: SignedHpkeKey;
  readonly grant?: string;
}

/** What an honest Router goes on with. */
export interface BothAnswers {
  readonly a: DeriverAnswer;
  readonly b: DeriverAnswer;
  readonly receipt: SignedReceipt;
}

/** Whoever has the Router: its signing key, and the open ports of the other roles. */
export class StolenRouter {
  readonly #stack: Stack;
  readonly #seed: SecretBytes;
  readonly #key: CryptoKey;

  private constructor(stack: Stack, seed: SecretBytes, key: CryptoKey) {
    this.#stack = stack;
    this.#seed = seed;
    this.#key = key;
  }

  static async of(stack: Stack): Promise<StolenRouter> {
    const seed = await stolenSecret(stack, 'router', 'signing-key');
    return new StolenRouter(stack, seed, await importSigningKey(seed));
  }

  sign(message: Uint8Array): Uint8Array {
    return this.#seed.use((seed) => ed25519.sign(message, seed));
  }

  /** @throws the YaoError that the role answers with */
  async call(role: Exclude<Role, 'router'>, path: string, body: Json): Promise<unknown> {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const call = { kind: 'call', caller: 'router', audience: role, path, body: bytes } as const;
    const authorization = await issueCallToken(call, this.#key, Date.now());
    const headers = { 'content-type': 'application/json', authorization };
    const response = await fetch(`${this.#stack.roles[role].url}${path}`, { method: 'POST', headers, body: bytes });
    const answer: unknown = await response.json();
    if (!response.ok) throw errorFromBody(answer, role);
    return answer;
  }

  async signingWorkerKey(): Promise<SignedHpkeKey> {
    const [newest] = KeysAnswer.fromJson(await this.call('signing-worker', '/keys', {})).keys;
    if (!newest) throw new YaoError('internal', 'the SigningWorker has no key');
    return newest;
  }

  /** Admits anything. */
  grant(core: Core, ceremonyId: Uint8Array, changes: Partial<Grant> = {}): string {
    const { circuitId, operation, walletId, deployment, profile, expiresAtMs } = core;
    const payload = Grant.encode({
      ceremonyId,
      core: Core.digest(core),
      circuitId,
      operation,
      walletId,
      deployment,
      profile,
      issuedAtMs: Date.now(),
      expiresAtMs: expiresAtMs + LIMITS.clockSkewMs,
      ...changes,
    });
    return toCompact(GRANT_HEADER, payload, this.sign(signingInput(GRANT_HEADER, payload)));
  }

  /** Hands a request to one Deriver. @throws the YaoError that it answers with */
  async relay(role: DeriverRole, relayed: Relayed): Promise<DeriverAnswer> {
    const { core, authorization, authorityUpdates, timeline, envelopeA, envelopeB } = relayed.request;
    const [own, other] = role === 'deriver-a' ? [envelopeA, envelopeB] : [envelopeB, envelopeA];
    const peerEnvelope = relayed.peerEnvelope ?? sha256(other);
    const digests = { own: sha256(own), peer: peerEnvelope };
    const id = ceremonyIdOf(
      core,
      role === 'deriver-a' ? { a: digests.own, b: digests.peer } : { a: digests.peer, b: digests.own },
    );
    const body = DeriverCall.toJson({
      core,
      envelope: own,
      peerEnvelope,
      authorization,
      authorityUpdates,
      grant: relayed.grant ?? this.grant(core, id),
      signingWorkerKey: relayed.signingWorkerKey ?? (await this.signingWorkerKey()),
      timeline,
    });
    return DeriverAnswer.fromJson(await this.call(role, '/ceremony', body));
  }

  /** Hands a request to both at once, as an honest Router does. */
  async relayToBoth(relayed: Relayed): Promise<BothAnswers> {
    const { core, envelopeA, envelopeB } = relayed.request;
    const one = { grant: this.grant(core, ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) })), ...relayed };
    const [a, b] = await Promise.all([this.relay('deriver-a', one), this.relay('deriver-b', one)]);
    if (!equalBytes(a.receipt, b.receipt)) throw new YaoError('receipt_invalid', 'two receipts');
    const { receipt: payload, signatureA, signatureB } = a;
    if (!signatureA) throw new YaoError('receipt_invalid', 'A has not signed');
    return { a, b, receipt: { payload, signatureA, signatureB } };
  }
}
