import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import type { HpkePublicKey } from '@streaming-yao/ceremony/role';
import { SecretBytes } from '@streaming-yao/core';
import { type Pins, ROLES, type Role } from '@streaming-yao/wire';
import type { Tape } from './tape.ts';

/** Everything a role is started with. */
export interface RoleKeys {
  /** Ed25519 seed. */
  readonly signingSeed: SecretBytes;
  /** X25519, by key id. */
  readonly hpkePrivateKeys: ReadonlyMap<string, SecretBytes>;
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly derivationRoot: SecretBytes;
  readonly storageKey: SecretBytes;
}

export interface Deployment {
  readonly pins: Pins;
  readonly keys: Readonly<Record<Role, RoleKeys>>;
}

const HPKE_KEY_LIFE_MS = 365 * 86_400_000;

function keysOf(role: Role, tape: Tape, nowMs: number): RoleKeys {
  const hpke = SecretBytes.own(tape.bytes(32));
  const keyId = `${role}-hpke`;
  const publicKey = hpke.use((bytes) => x25519.getPublicKey(bytes));
  const [notBeforeMs, notAfterMs] = [nowMs - 3_600_000, nowMs + HPKE_KEY_LIFE_MS];
  return {
    signingSeed: SecretBytes.own(tape.bytes(32)),
    hpkePrivateKeys: new Map([[keyId, hpke]]),
    hpkeKeys: [{ keyId, publicKey, notBeforeMs, notAfterMs }],
    derivationRoot: SecretBytes.own(tape.bytes(32)),
    storageKey: SecretBytes.own(tape.bytes(32)),
  };
}

/** All keys of a deployment, from a tape. */
export function createDeployment(tape: Tape, nowMs: number, profile: Pins['profile'] = 'one-account'): Deployment {
  const keys = Object.fromEntries(ROLES.map((role) => [role, keysOf(role, tape.fork(role), nowMs)])) as Record<Role, RoleKeys>;
  const pin = (role: Role): Uint8Array => keys[role].signingSeed.use((seed) => ed25519.getPublicKey(seed));
  const pins = {
    deployment: 'simulated',
    profile,
    router: pin('router'),
    deriverA: pin('deriver-a'),
    deriverB: pin('deriver-b'),
    signingWorker: pin('signing-worker'),
  };
  return { pins, keys };
}
