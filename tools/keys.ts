import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Infer, SecretBytes, schema, toBase64Url } from '@streaming-yao/core';
import { Pins, ROLES, type Role, role } from '@streaming-yao/wire';
import { publicHalf } from '@streaming-yao/workers/config';
import { formatSecret, HpkePrivateKeys, type Purpose, parseSecret, SECRETS_OF, variableOf } from '@streaming-yao/workers/secret';

/** A role's secrets as the environment variables that hand them over. */
export type RoleSecrets = Readonly<Record<string, string>>;

/** Whoever looks through and deletes wallets: no role has this secret, every role is started with the public key. */
export interface OperatorKey {
  /** Ed25519, in base64url. */
  readonly publicKey: string;
  readonly secrets: RoleSecrets;
}

export interface DeploymentKeys {
  readonly pins: Pins;
  readonly secrets: Readonly<Record<Role, RoleSecrets>>;
  /** Absent in a folder from before there was one. */
  readonly operator?: OperatorKey;
}

export interface KeyOptions {
  readonly deployment: string;
  readonly profile: Pins['profile'];
}

/** How long an HPKE key opens envelopes: rotation replaces it in time. */
const HPKE_KEY_LIFE_MS = 365 * 86_400_000;
/** A client whose clock is slow must find a key of a new deployment valid, too. */
const HPKE_KEY_LEEWAY_MS = 3_600_000;

const fresh = (): SecretBytes => SecretBytes.own(Uint8Array.from(randomBytes(32)));

/** A new HPKE key, named after its role, its day and a bit of chance. */
function hpkeKey(role: Role): HpkePrivateKeys['keys'][number] {
  const nowMs = Date.now();
  const keyId = `${role}-${new Date(nowMs).toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
  const privateKey = Uint8Array.from(randomBytes(32));
  return { keyId, privateKey, notBeforeMs: nowMs - HPKE_KEY_LEEWAY_MS, notAfterMs: nowMs + HPKE_KEY_LIFE_MS };
}

function encodeHpke(keys: HpkePrivateKeys['keys']): SecretBytes {
  const encoded = SecretBytes.own(HpkePrivateKeys.encode({ keys }));
  for (const { privateKey } of keys) privateKey.fill(0);
  return encoded;
}

/**
 * A role's secrets with a new HPKE key before the one that was the newest, which still opens what is under way; older ones go.
 * @throws YaoError `config_invalid` for secrets of another role, or of one that has no such keys
 */
export function rotateHpke(role: Role, secrets: RoleSecrets): RoleSecrets {
  const name = variableOf('hpke-keys');
  using present = parseSecret(role, 'hpke-keys', secrets[name]);
  const [newest] = present.use(HpkePrivateKeys.decode).keys;
  using rotated = encodeHpke([hpkeKey(role), ...(newest ? [newest] : [])]);
  return { ...secrets, [name]: formatSecret(role, 'hpke-keys', rotated) };
}

/** A role's secrets, and the Ed25519 key that others pin. */
export interface RoleKeys {
  readonly role: Role;
  readonly publicKey: Uint8Array;
  readonly secrets: RoleSecrets;
}

/** Makes the secrets of one role; nobody else's are needed for it. */
export function generateRole(role: Role): RoleKeys {
  let publicKey: Uint8Array = new Uint8Array();
  const entries = SECRETS_OF[role].map((purpose: Purpose) => {
    using secret = purpose === 'hpke-keys' ? encodeHpke([hpkeKey(role)]) : fresh();
    if (purpose === 'signing-key') publicKey = publicHalf('ed25519', secret);
    return [variableOf(purpose), formatSecret(role, purpose, secret)] as const;
  });
  return { role, publicKey, secrets: Object.fromEntries(entries) };
}

/** @throws Error when a role is missing or comes twice */
export function pinsOf({ deployment, profile }: KeyOptions, keys: readonly Pick<RoleKeys, 'role' | 'publicKey'>[]): Pins {
  const pin = (role: Role): Uint8Array => {
    const [key, another] = keys.filter((each) => each.role === role);
    if (!key || another) throw new Error(`pins are made of one public key of each role; ${role} has ${key ? 'more' : 'none'}`);
    return key.publicKey;
  };
  return {
    deployment,
    profile,
    router: pin('router'),
    deriverA: pin('deriver-a'),
    deriverB: pin('deriver-b'),
    signingWorker: pin('signing-worker'),
  };
}

/** Makes all secrets of a deployment, and its pins. */
export function generateKeys(options: KeyOptions): DeploymentKeys {
  const keys = ROLES.map(generateRole);
  const secrets = Object.fromEntries(keys.map((each) => [each.role, each.secrets])) as Record<Role, RoleSecrets>;
  return { pins: pinsOf(options, keys), secrets, operator: generateOperator() };
}

export function generateOperator(): OperatorKey {
  using secret = fresh();
  const publicKey = toBase64Url(publicHalf('ed25519', secret));
  return { publicKey, secrets: { [variableOf('signing-key')]: formatSecret('operator', 'signing-key', secret) } };
}

export const pinsFile = (folder: string): string => path.join(folder, 'pins.json');
export const publicFile = (folder: string, role: Role): string => path.join(folder, `${role}.public.json`);
export const secretFile = (folder: string, role: Role): string => path.join(folder, `${role}.secrets.json`);

/** The operator's public key, with which every role is started as `OPERATOR`. */
export const operatorFile = (folder: string): string => path.join(folder, 'operator.json');
export const operatorSecretFile = (folder: string): string => path.join(folder, 'operator.secrets.json');

export const pinsText = (pins: Pins): string => `${JSON.stringify(Pins.toJson(pins), null, 2)}\n`;

/** The files that `folder` has of a deployment already. */
export async function existingKeyFiles(folder: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  const files = [pinsFile(folder), ...ROLES.flatMap((each) => [secretFile(folder, each), publicFile(folder, each)])];
  return [...files, operatorFile(folder), operatorSecretFile(folder)].filter((file) => names.includes(path.basename(file)));
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Writes one file of secrets per role, readable by the owner only, and `pins.json`, which is public. */
export async function writeKeys(folder: string, keys: DeploymentKeys): Promise<void> {
  await makeFolder(folder);
  const { secrets, operator } = keys;
  for (const role of ROLES) await writeSecrets(folder, role, secrets[role]);
  if (operator) await writeOperator(folder, operator);
  // Last, so that a folder with pins has all that belongs to them.
  await writePins(folder, keys.pins);
}

/** Writes what one operator of several has, and beside it the public files that the others need of it. */
export async function writeRoles(folder: string, keys: readonly RoleKeys[]): Promise<void> {
  await makeFolder(folder);
  for (const { role, publicKey, secrets } of keys) {
    await writeSecrets(folder, role, secrets);
    await writeWhole(publicFile(folder, role), jsonText({ role, publicKey: toBase64Url(publicKey) }), 0o644);
  }
}

/** Replaces one role's secrets, and nothing else. */
export const writeSecrets = (folder: string, of: Role, secrets: RoleSecrets): Promise<void> =>
  writeWhole(secretFile(folder, of), jsonText(secrets), 0o600);

export async function writeOperator(folder: string, operator: OperatorKey): Promise<void> {
  await writeWhole(operatorSecretFile(folder), jsonText(operator.secrets), 0o600);
  await writeWhole(operatorFile(folder), jsonText({ publicKey: operator.publicKey }), 0o644);
}

export const writePins = (folder: string, pins: Pins): Promise<void> => writeWhole(pinsFile(folder), pinsText(pins), 0o644);

const publicKeyFile = schema.struct({ role, publicKey: schema.bytes(32) });

/** The public files that operators have given each other. @throws YaoError, or Error, when one is damaged */
export async function readPublicKeys(folders: readonly string[]): Promise<readonly Infer<typeof publicKeyFile>[]> {
  const files = await Promise.all(
    folders.map(async (folder) => {
      const names: readonly string[] = await readdir(folder);
      return ROLES.map((each) => publicFile(folder, each)).filter((file) => names.includes(path.basename(file)));
    }),
  );
  return Promise.all(files.flat().map(async (file) => publicKeyFile.fromJson(JSON.parse(await readFile(file, 'utf8')), file)));
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode, flag: 'wx' });
  await rename(draft, file);
}

/** @throws Error when a file is missing or damaged */
export async function readKeys(folder: string): Promise<DeploymentKeys> {
  const { pins, operator: publicKey } = await readPublicSide(folder);
  const secrets = {} as Record<Role, RoleSecrets>;
  for (const role of ROLES) secrets[role] = await readSecrets(folder, role);
  if (publicKey === undefined) return { pins, secrets };
  const operatorSecrets = JSON.parse(await readFile(operatorSecretFile(folder), 'utf8')) as RoleSecrets;
  return { pins, secrets, operator: { publicKey, secrets: operatorSecrets } };
}

/** One role's secrets: where the roles have several operators, each has its own only. @throws Error when the file is missing */
export async function readSecrets(folder: string, of: Role): Promise<RoleSecrets> {
  return JSON.parse(await readFile(secretFile(folder, of), 'utf8')) as RoleSecrets;
}

/** What everybody may know: the pins, and the operator's public key. */
export async function readPublicSide(folder: string): Promise<{ readonly pins: Pins; readonly operator?: string }> {
  const pins = Pins.fromJson(JSON.parse(await readFile(pinsFile(folder), 'utf8')));
  if (!(await existingKeyFiles(folder)).includes(operatorFile(folder))) return { pins };
  const { publicKey } = JSON.parse(await readFile(operatorFile(folder), 'utf8')) as { publicKey: string };
  return { pins, operator: publicKey };
}
