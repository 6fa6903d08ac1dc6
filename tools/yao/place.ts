import { randomBytes, scrypt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Storage } from '@streaming-yao/client';
import { fileStorage } from '@streaming-yao/client/node';
import { fromHex, SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import { Pins } from '@streaming-yao/wire';

/** Which wallet of which deployment a state folder is for: given once, remembered from then on. */
export interface Place {
  readonly router: string;
  readonly pins: Pins;
  readonly walletId: string;
}

export interface GivenPlace {
  readonly router?: string | undefined;
  readonly pinsFile?: string | undefined;
  readonly walletId?: string | undefined;
}

const placeFile = (folder: string): string => path.join(folder, 'wallet.json');
const keyFile = (folder: string): string => path.join(folder, 'key.json');

const missing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** What the folder remembers, with what is given now. @throws YaoError `invalid_request` where both together are not enough */
export async function resolvePlace(folder: string, given: GivenPlace): Promise<Place> {
  const text = await readFile(placeFile(folder), 'utf8').catch(missing);
  const known = text === undefined ? undefined : (JSON.parse(text) as { router: string; walletId: string; pins: unknown });
  const pinsText = given.pinsFile === undefined ? undefined : await readFile(given.pinsFile, 'utf8').catch(missing);
  if (given.pinsFile !== undefined && pinsText === undefined) throw incomplete(`there is no file ${given.pinsFile}`);
  const router = given.router ?? known?.router;
  const pins = pinsText === undefined ? known?.pins : (JSON.parse(pinsText) as unknown);
  if (router === undefined) throw incomplete('give the Router’s address with --router');
  if (pins === undefined) throw incomplete('give the deployment’s pins.json with --pins');
  if (known && given.walletId !== undefined && given.walletId !== known.walletId)
    throw incomplete(`${folder} holds wallet ${known.walletId}; give another wallet another --state`);
  const walletId = known?.walletId ?? given.walletId ?? `w-${toHex(new Uint8Array(randomBytes(8)))}`;
  return { router, pins: Pins.fromJson(pins), walletId };
}

export async function rememberPlace(folder: string, { router, pins, walletId }: Place): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(placeFile(folder), `${JSON.stringify({ router, walletId, pins: Pins.toJson(pins) }, null, 2)}\n`, {
    mode: 0o600,
  });
}

function incomplete(why: string): YaoError {
  return new YaoError('invalid_request', why, { party: 'client' });
}

/** Costs of scrypt (RFC 7914) that OWASP recommends: 128 MiB. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const derive = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt);

type StoredKey = { readonly kind: 'file'; readonly key: string } | { readonly kind: 'passphrase'; readonly salt: string };

/**
 * The key that seals the folder's records: from a passphrase where one was given at the start, else from a file beside them,
 * which protects them from nobody who can read the folder.
 * @throws YaoError `unlock_failed` when the folder needs a passphrase and has none
 */
export async function openState(folder: string, passphrase: string | undefined): Promise<Storage> {
  const stored = await storedKey(folder, passphrase);
  if (stored.kind === 'passphrase' && !passphrase)
    throw new YaoError('unlock_failed', 'this state is sealed with a passphrase; set YAO_PASSPHRASE', { party: 'client' });
  const key =
    stored.kind === 'file'
      ? fromHex(stored.key)
      : new Uint8Array(await derive((passphrase as string).normalize('NFKC'), Buffer.from(stored.salt, 'hex'), 32, SCRYPT));
  return fileStorage({ folder: path.join(folder, 'records'), key: SecretBytes.own(key), random });
}

export const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

async function storedKey(folder: string, passphrase: string | undefined): Promise<StoredKey> {
  const text = await readFile(keyFile(folder), 'utf8').catch(missing);
  if (text !== undefined) return JSON.parse(text) as StoredKey;
  const fresh: StoredKey = passphrase
    ? { kind: 'passphrase', salt: toHex(random(16)) }
    : { kind: 'file', key: toHex(random(32)) };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(keyFile(folder), JSON.stringify(fresh), { mode: 0o600, flag: 'wx' });
  return fresh;
}
