import { setTimeout as wait } from 'node:timers/promises';
import { type Credential, memoryStorage, type Storage, type Wallet } from '@streaming-yao/client';
import { YaoError } from '@streaming-yao/core';
import type { Stack } from '../../tools/stack.ts';
import { device, newCredential, newWalletId, random } from '../stack.ts';
import type { Measured, Tally } from './tally.ts';

/** A wallet that clients come and go with. */
export interface Owned {
  readonly walletId: string;
  readonly credential: Credential;
  readonly storage: Storage;
  readonly publicKey: Uint8Array;
}

export interface LifeOptions {
  readonly stack: Stack;
  readonly tally: Tally;
  readonly signaturesEach: number;
  /** How long whatever fails is tried again; not at all while nothing is broken on purpose. */
  readonly patienceMs: number;
}

/** Ceremonies of one life. */
export const CEREMONIES_PER_LIFE = 3;

const PAUSE_MS = 100;

/** Tries again what an interrupted role has failed, as an app would: each operation first ends what was interrupted. */
async function persistently<T>({ tally, patienceMs }: LifeOptions, operation: Measured, act: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return await tally.of(operation, act);
    } catch (error) {
      if (!(error instanceof YaoError) || performance.now() > end) throw error;
      await wait(PAUSE_MS);
    }
  }
}

async function sign(options: LifeOptions, wallet: Wallet, publicKey: Uint8Array, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const message = random(64);
    const { signature } = await persistently(options, 'sign', () => wallet.sign(message));
    options.tally.check(publicKey, message, signature);
  }
}

/** A client comes, makes a key and uses it, renews its share, is lost, and the next device recovers. */
export async function live(options: LifeOptions): Promise<Owned> {
  const { stack, signaturesEach } = options;
  const [walletId, credential, storage] = [newWalletId(), newCredential(), memoryStorage()];
  const first = device(stack, walletId, { credential });
  const { publicKey } = await persistently(options, 'register', () => first.register());
  await sign(options, first, publicKey, signaturesEach);
  await persistently(options, 'refresh', () => first.refresh());
  await sign(options, first, publicKey, signaturesEach);
  const next = device(stack, walletId, { credential, storage });
  await persistently(options, 'recover', () => next.recover());
  await sign(options, next, publicKey, signaturesEach);
  return { walletId, credential, storage, publicKey };
}

/** @throws Error when the wallet is lost */
export async function stillSigns(options: LifeOptions, { walletId, credential, storage, publicKey }: Owned): Promise<void> {
  await sign(options, device(options.stack, walletId, { credential, storage }), publicKey, 1);
}
