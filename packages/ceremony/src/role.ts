import type { Json, SecretBytes } from '@streaming-yao/core';
import type { Kernel } from '@streaming-yao/engine';
import type { Group } from '@streaming-yao/group';
import type { Pins, SignedHpkeKey } from '@streaming-yao/wire';
import type { Program, Surroundings } from './program.ts';

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
}

export interface RouterSurroundings extends RoleSurroundings {
  /** Lives as long as the object: key statements of the other roles, once verified. */
  readonly memory: Map<string, unknown>;
}

export interface DeriverSurroundings extends RoleSurroundings {
  readonly derivationRoot: SecretBytes;
  /** Public halves of the own HPKE keys, newest first. */
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly sealer: Sealer;
  readonly hashing: Hashing;
  readonly kernel: Kernel;
  readonly group: Group;
  /** Which of the role's objects this is; A's object n talks to B's object n. */
  readonly shard: number;
}

export interface SigningWorkerSurroundings extends RoleSurroundings {
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly sealer: Sealer;
  readonly group: Group;
  /** Lives as long as the object: presign pools and unsealed shares. Never stored. */
  readonly memory: Map<string, unknown>;
}

export interface HpkePublicKey {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** One request a role answers. The host authenticates the caller, parses the JSON, finds the object, runs the program. */
export interface Handler<S extends RoleSurroundings> {
  /** Whose call token opens this path; absent where anybody may ask. */
  readonly caller?: 'router' | 'deriver-a';
  /** Largest body, where it is not LIMITS.bodyBytes. */
  readonly bodyBytes?: number;
  /** The wallet whose object answers, read from the body by the role itself; `undefined`: every object alike. */
  wallet?(body: unknown): string;
  /** Requests with equal keys that arrive while one runs share its run and its answer. */
  joinKey?(body: unknown): string;
  program(surroundings: S, body: unknown): Program<Json>;
}

/** A role's requests by path. */
export type Handlers<S extends RoleSurroundings> = Readonly<Record<string, Handler<S>>>;

export type { SignedHpkeKey };
