import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { gcm } from '@noble/ciphers/aes.js';
import { concatBytes, type SecretBytes, utf8, YaoError } from '@streaming-yao/core';
import type { Storage } from './storage.ts';

const NONCE_BYTES = 12;
const SUFFIX = '.sealed';

/** Where and under which key {@link fileStorage} keeps records. */
export interface FileStorageOptions {
  /** Made where it is missing, for the owner alone. */
  readonly folder: string;
  /** AES-256 key that seals every record: 32 bytes; kept. */
  readonly key: SecretBytes;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Keeps each record in a file of its own, readable by the owner only: its name in the file's name, its bytes sealed with
 * AES-256-GCM, bound to that name. A record is on the disk, whole, when its promise is fulfilled.
 */
export async function fileStorage({ folder, key, random }: FileStorageOptions): Promise<Storage> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return {
    get: async (name) => {
      const sealed = await readFile(fileOf(folder, name)).catch(ifMissing);
      return sealed && openRecord(key, name, new Uint8Array(sealed));
    },
    set: async (name, secret) => {
      if (secret) await writeWhole(folder, fileOf(folder, name), sealRecord(key, name, secret, random(NONCE_BYTES)));
      else await rm(fileOf(folder, name), { force: true });
      await settle(folder);
    },
    names: async (prefix) => {
      const files = (await readdir(folder)).filter((file) => file.endsWith(SUFFIX));
      return files.map(nameOf).filter((name) => name.startsWith(prefix));
    },
  };
}

/** Names hold slashes, and differ in case only where file systems may not. */
const fileOf = (folder: string, name: string): string => path.join(folder, `${Buffer.from(name).toString('hex')}${SUFFIX}`);

const nameOf = (file: string): string => Buffer.from(file.slice(0, -SUFFIX.length), 'hex').toString();

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function sealRecord(key: SecretBytes, name: string, secret: SecretBytes, nonce: Uint8Array): Uint8Array {
  return concatBytes(
    nonce,
    key.use((keyBytes) => secret.use((bytes) => gcm(keyBytes, nonce, utf8(name)).encrypt(bytes))),
  );
}

function openRecord(key: SecretBytes, name: string, sealed: Uint8Array): SecretBytes {
  try {
    return key.map((bytes) => gcm(bytes, sealed.subarray(0, NONCE_BYTES), utf8(name)).decrypt(sealed.subarray(NONCE_BYTES)));
  } catch {
    throw new YaoError(
      'unlock_failed',
      'a record of this device does not open with this key, or was changed; nothing was overwritten',
      {
        party: 'client',
      },
    );
  }
}

async function writeWhole(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const draft = path.join(folder, `${createHash('sha256').update(bytes).digest('hex')}.draft`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** A file's name is durable only when its folder is. */
async function settle(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
