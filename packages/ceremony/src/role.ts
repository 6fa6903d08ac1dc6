import type { Json, SecretBytes, Settings } from '@streaming-yao/core';
import type { Engine } from '@streaming-yao/engine';
import type { Group } from '@streaming-yao/group';
import type { Pins } from '@streaming-yao/wire';
import type { AdmissionRules, Asker, Concern } from './admission.ts';
import type { PasskeyRules } from './assertion.ts';
import type { Program, Surroundings } from './program.ts';
import type { SigningPolicy } from './signing-policy.ts';

export { type AdmissionRules, type Asker, type Concern, limitsOf, limitsToJson, WAYS, type Way } from './admission.ts';
export type { PasskeyRules } from './assertion.ts';
export type { Limit, Rate } from './rate-limit.ts';
export { SigningPolicy } from './signing-policy.ts';

/** Seals records at rest (AES-256-GCM under the role's storage key). */
export interface Sealer {
  seal(aad: Uint8Array, secret: SecretBytes): Uint8Array;
  /** @throws YaoError `internal` when the record was changed or belongs elsewhere */
  open(aad: Uint8Array, sealed: Uint8Array): SecretBytes;
}

/** Native hashing where the platform has it; the values are those of FIPS 180-4 and RFC 2104. */
export interface Hashing {
  sha256(...parts: readonly Uint8Array[]): Uint8Array;
  hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array;
}

/** What every role's programs are given. */
export interface RoleSurroundings extends Surroundings {
  /** Start-up configuration: deployment, profile and every role's verification key. */
  readonly pins: Pins;
  /** Which passkeys may authorize; absent where the deployment takes none. */
  readonly passkeys?: PasskeyRules | undefined;
  readonly settings: Settings;
  /** Verification key (Ed25519) of whoever may look through and delete wallets; nobody may where it is absent. */
  readonly operator?: Uint8Array | undefined;
  /** Runs a program after the answer; its failure is logged by code and changes no answer. */
  background(program: Program<unknown>): void;
}

export interface RouterSurroundings extends RoleSurroundings {
  /** Lives as long as the Worker: key statements of the other roles, once verified. */
  readonly memory: Map<string, unknown>;
  /** Whom to let in; everybody where it is absent. */
  readonly admission?: AdmissionRules | undefined;
  /** Appends to the audit log after the answer. */
  audit(event: AuditEvent): void;
}

/** Who did what when; nothing secret fits in here. */
export interface AuditEvent {
  readonly atMs: number;
  readonly walletId: string;
  readonly event: string;
  /** Lower-case hex, where there is a ceremony. */
  readonly ceremonyId: string | null;
  /** `ok`, or the error's code. */
  readonly outcome: string;
  /** The receipt that both Derivers signed, as JSON, where there is one. */
  readonly receipt?: string | undefined;
}

/** As the trail numbers it. */
export interface NumberedEvent {
  readonly id: number;
  readonly event: AuditEvent;
}

export interface DeriverSurroundings extends RoleSurroundings {
  readonly derivationRoot: SecretBytes;
  /** Public halves of the own HPKE keys, newest first. */
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly sealer: Sealer;
  readonly hashing: Hashing;
  readonly engine: Engine;
  readonly group: Group;
  /** Which of the role's objects this is; A's object n talks to B's object n. */
  readonly shard: number;
  /** Lives as long as the object. Never stored. */
  readonly memory: Map<string, unknown>;
}

export interface SigningWorkerSurroundings extends RoleSurroundings {
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly sealer: Sealer;
  readonly group: Group;
  /** What may be signed; anything where it is absent. */
  readonly policy?: SigningPolicy | undefined;
  /** Lives as long as the object: presign pools and unsealed shares. Never stored. */
  readonly memory: Map<string, unknown>;
}

/** What a client's programs are given. */
export interface ClientSurroundings extends Surroundings {
  /** Built into the app. */
  readonly pins: Pins;
  readonly group: Group;
  /** Asks the roles which messages passed them; costs a little on every ceremony. */
  readonly timeline?: boolean;
}

export interface HpkePublicKey {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/**
 * One request a role answers. The host authenticates the caller, parses the JSON, finds the object and runs the program.
 * Without `wallet`, `shard` or `everyObject` the program runs in the Worker itself and may not transact.
 */
export interface Handler<S extends RoleSurroundings> {
  /** `POST` with a JSON body unless said otherwise. */
  readonly method?: 'GET';
  /** Whose call token opens this path; absent where anybody may ask. */
  readonly caller?: 'router' | 'deriver-a';
  /** How long anybody may keep a GET's answer; not at all unless said. */
  readonly cacheSeconds?: number;
  /** Largest body, where it is not LIMITS.bodyBytes. */
  readonly bodyBytes?: number;
  /** The wallet whose object answers, read from the body by the role itself. */
  wallet?(body: unknown): string;
  /** The object's number, where the request names it. */
  shard?(body: unknown): number;
  /** Every object of the role answers; the last answer counts. */
  readonly everyObject?: true;
  /** For the Router's limits: what the request is about. */
  concern?(body: unknown): Concern;
  /** The wallet that the request is about, where no object of its own answers. */
  about?(body: unknown): string;
  /** The one object of that name answers, and only to the role itself. */
  readonly internal?: string;
  /** Counters, and an answer kept under an idempotency key, are written after it has left: nothing is written before a signature. */
  readonly keepsLater?: true;
  /** Requests with equal keys that arrive while one runs share its run and its answer. */
  joinKey?(body: unknown): string;
  program(surroundings: S, body: unknown, asker?: Asker): Program<Json>;
  /** For a caller that prefers not to wait (RFC 7240, `respond-async`): takes the request on, and the host answers 202. */
  accept?(surroundings: S, body: unknown, asker?: Asker): Program<Json>;
}

/** A role's requests by path. */
export type Handlers<S extends RoleSurroundings> = Readonly<Record<string, Handler<S>>>;
