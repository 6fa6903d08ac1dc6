import { createPrivateKey, createPublicKey } from 'node:crypto';
import { type HpkePublicKey, type PasskeyRules, SigningPolicy } from '@streaming-yao/ceremony/role';
import {
  concatBytes,
  equalBytes,
  fromBase64Url,
  fromHex,
  readSettings,
  SecretBytes,
  type Settings,
  YaoError,
} from '@streaming-yao/core';
import { Pins, pinnedKey, type Role } from '@streaming-yao/wire';
import { type Admission, readAdmission } from './admission-config.ts';
import { EnvelopeKeys, type HpkeKeyPair } from './hpke.ts';
import { readMonitor } from './monitoring.ts';
import { readPasskeyRules } from './passkey-rules.ts';
import { type PublicPeers, readPublicPeers } from './public-peers.ts';
import { HpkePrivateKeys, PURPOSES, type Purpose, parseSecret, SECRET_MARK, SECRETS_OF, variableOf } from './secret.ts';

/** Durable Objects that a Deriver's or the Router's wallets are spread over; fixed for the life of a deployment. */
export const DEFAULT_SHARD_COUNT = 4;
const LARGEST_SHARD_COUNT = 1024;

/** What a role is started with. Secrets that a role does not have are absent. */
export interface RoleConfig {
  readonly role: Role;
  readonly pins: Pins;
  readonly settings: Settings;
  /** Public origins of the roles that this one calls; none within one account. */
  readonly publicPeers: PublicPeers;
  readonly shardCount: number;
  /** Ed25519 seed; its public half is the role's pin. */
  readonly signingKey: SecretBytes;
  readonly derivationRoot?: SecretBytes;
  readonly storageKey?: SecretBytes;
  readonly envelopeKeys: EnvelopeKeys;
  readonly hpkeKeys: readonly HpkePublicKey[];
  readonly passkeys?: PasskeyRules;
  /** Verification key of whoever may look through and delete wallets. */
  readonly operator?: Uint8Array;
  /** SHA-256 of the token for metrics and readiness. */
  readonly monitor?: Uint8Array;
  /** Of the Router only. */
  readonly admission?: Admission;
  /** Of the SigningWorker only. */
  readonly policy?: SigningPolicy;
}

type Environment = Readonly<Record<string, unknown>>;

function invalid(role: Role, why: string): YaoError {
  return new YaoError('config_invalid', `${role}: ${why}`, { party: 'operator' });
}

/**
 * Reads and checks a role's environment: `PINS`, `SHARD_COUNT`, `PASSKEYS`, `SETTINGS`, `OPERATOR`, `MONITOR`, `PEERS`, the Router's `ADMISSION`, the SigningWorker's `POLICY`, and the secrets of {@link SECRETS_OF}.
 * @throws YaoError `config_invalid` when a secret is missing, damaged, another role's or not the role's to have, and when
 *   the signing key is not the pinned one
 */
export function readConfig(role: Role, environment: Environment): RoleConfig {
  refuseForeignSecrets(role, environment);
  const pins = readPins(role, environment.PINS);
  const secrets = new Map<Purpose, SecretBytes>();
  for (const purpose of SECRETS_OF[role]) secrets.set(purpose, parseSecret(role, purpose, environment[variableOf(purpose)]));
  const signingKey = secrets.get('signing-key') as SecretBytes;
  if (!equalBytes(publicHalf('ed25519', signingKey), pinnedKey(pins, role))) {
    throw invalid(role, 'SIGNING_KEY is not the key that PINS name for this role');
  }
  const derivationRoot = secrets.get('derivation-root');
  const storageKey = secrets.get('storage-key');
  const passkeys = readPasskeyRules(role, environment.PASSKEYS);
  const operator = readOperator(role, environment.OPERATOR);
  const monitor = readMonitor(role, environment.MONITOR);
  return {
    role,
    pins,
    settings: readSettingsOf(role, environment.SETTINGS),
    publicPeers: readPublicPeers(role, pins.profile, environment),
    shardCount: readShardCount(role, environment.SHARD_COUNT),
    signingKey,
    ...(derivationRoot && { derivationRoot }),
    ...(storageKey && { storageKey }),
    ...readHpkeKeys(role, secrets.get('hpke-keys')),
    ...(passkeys && { passkeys }),
    ...(operator && { operator }),
    ...(monitor && { monitor }),
    ...(role === 'router' && { admission: readAdmission(environment.ADMISSION) }),
    ...(role === 'signing-worker' && environment.POLICY !== undefined && { policy: readPolicy(environment.POLICY) }),
  };
}

function refuseForeignSecrets(role: Role, environment: Environment): void {
  const own = new Set(SECRETS_OF[role].map(variableOf));
  for (const [name, value] of Object.entries(environment)) {
    const looksSecret = typeof value === 'string' && value.startsWith(SECRET_MARK);
    if (!own.has(name) && (looksSecret || PURPOSES.some((purpose) => variableOf(purpose) === name))) {
      throw invalid(role, `${name} holds a secret that this role must not have`);
    }
  }
}

function readPins(role: Role, text: unknown): Pins {
  if (typeof text !== 'string') throw invalid(role, 'PINS is missing; it is the content of pins.json');
  try {
    return Pins.fromJson(JSON.parse(text));
  } catch (error) {
    throw invalid(role, `PINS is not the content of a pins.json: ${error instanceof YaoError ? error.message : 'not JSON'}`);
  }
}

/** `SETTINGS` is JSON like `{"ceremonyDeadlineMs": 20000}`; absent for the standard. */
function readSettingsOf(role: Role, text: unknown): Settings {
  let changes: unknown = {};
  try {
    if (text !== undefined) changes = JSON.parse(String(text));
  } catch {
    throw invalid(role, 'SETTINGS is not JSON');
  }
  return readSettings(changes);
}

/** `OPERATOR` is an Ed25519 public key in base64url; where it is absent, nobody looks through wallets. */
function readOperator(role: Role, text: unknown): Uint8Array | undefined {
  if (text === undefined) return undefined;
  try {
    const key = fromBase64Url(String(text));
    if (key.length === 32) return key;
  } catch {
    // Refused below.
  }
  throw invalid(role, 'OPERATOR is not an Ed25519 public key in base64url');
}

/** `POLICY` is JSON like `{"kinds": ["solana-transaction", "text"], "sessions": "required"}`; `kinds` may be null for all. */
function readPolicy(text: unknown): SigningPolicy {
  try {
    return SigningPolicy.fromJson(JSON.parse(String(text)), 'POLICY');
  } catch (error) {
    throw invalid('signing-worker', `POLICY is no signing policy: ${error instanceof YaoError ? error.message : 'not JSON'}`);
  }
}

function readShardCount(role: Role, text: unknown): number {
  if (text === undefined) return DEFAULT_SHARD_COUNT;
  const count = typeof text === 'string' && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > LARGEST_SHARD_COUNT) {
    throw invalid(role, `SHARD_COUNT is not a whole number from 1 to ${LARGEST_SHARD_COUNT}`);
  }
  return count;
}

function readHpkeKeys(role: Role, secret: SecretBytes | undefined): Pick<RoleConfig, 'hpkeKeys' | 'envelopeKeys'> {
  const pairs = new Map<string, HpkeKeyPair>();
  if (!secret) return { envelopeKeys: new EnvelopeKeys(pairs), hpkeKeys: [] };
  let decoded: HpkePrivateKeys;
  try {
    decoded = secret.use((bytes) => HpkePrivateKeys.decode(bytes));
  } catch {
    throw invalid(role, 'HPKE_KEYS is damaged');
  }
  secret.wipe();
  const hpkeKeys = decoded.keys.map(({ keyId, privateKey, notBeforeMs, notAfterMs }) => {
    if (pairs.has(keyId)) throw invalid(role, `HPKE_KEYS names ${keyId} twice`);
    const owned = SecretBytes.own(privateKey);
    const publicKey = publicHalf('x25519', owned);
    pairs.set(keyId, { privateKey: owned, publicKey });
    return { keyId, publicKey, notBeforeMs, notAfterMs };
  });
  return { envelopeKeys: new EnvelopeKeys(pairs), hpkeKeys };
}

/** PKCS #8 around 32 private bytes (RFC 8410 section 7). */
const PKCS8 = {
  ed25519: fromHex('302e020100300506032b657004220420'),
  x25519: fromHex('302e020100300506032b656e04220420'),
};

/** @returns the 32-byte public key that belongs to a 32-byte private one */
export function publicHalf(curve: keyof typeof PKCS8, privateKey: SecretBytes): Uint8Array {
  const pkcs8 = privateKey.use((bytes) => concatBytes(PKCS8[curve], bytes));
  const key = createPrivateKey({ key: Buffer.from(pkcs8.buffer), format: 'der', type: 'pkcs8' });
  pkcs8.fill(0);
  return fromBase64Url(createPublicKey(key).export({ format: 'jwk' }).x as string);
}
