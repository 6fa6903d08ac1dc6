import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { ClientSurroundings } from '@streaming-yao/ceremony/client';
import { type Effect, type Program, run } from '@streaming-yao/ceremony/program';
import {
  connectRouter,
  ed25519Credential,
  type KnownCredential,
  memoryStorage,
  type RouterConnection,
  type Storage,
  Wallet,
} from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { Approval, createPerformer } from '@streaming-yao/client/perform';
import type { LaneSigner } from '@streaming-yao/client/signer';
import { SecretBytes, toHex } from '@streaming-yao/core';
import type { Pins } from '@streaming-yao/wire';

export const group = loadGroup();

export const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
export const secret = (): SecretBytes => SecretBytes.own(random(32));
export const newWalletId = (name = 'w'): string => `${name}-${toHex(random(6))}`;
export const newCredential = (label = 'device'): KnownCredential => {
  using seed = secret();
  return ed25519Credential(group, seed, 'device', label);
};

/** Where a device finds the deployment. */
export interface Deployment {
  readonly routerUrl: string;
  readonly pins: Pins;
}

export interface DeviceParts {
  readonly walletId?: string;
  readonly credential?: KnownCredential;
  readonly storage?: Storage;
  readonly router?: RouterConnection;
  readonly now?: () => number;
  readonly deviceName?: string;
  readonly random?: (length: number) => Uint8Array;
  /** Off, unless a test is about it: it would go on in the background. */
  readonly secondDerivation?: boolean;
}

/** A user's device: the wallet as an app has it, and beside it the client's programs, which a test may run by themselves. */
export class TestDevice {
  readonly walletId: string;
  readonly credential: KnownCredential;
  readonly storage: Storage;
  readonly router: RouterConnection;
  readonly wallet: Wallet;
  readonly surroundings: ClientSurroundings;
  readonly #perform: (effect: Effect) => unknown;

  constructor({ routerUrl, pins }: Deployment, parts: DeviceParts = {}) {
    const { walletId = newWalletId(), credential = newCredential(), storage = memoryStorage(), now = Date.now } = parts;
    const { router = connectRouter(routerUrl), random: draw = random } = parts;
    this.walletId = walletId;
    this.credential = credential;
    this.storage = storage;
    this.router = router;
    const { secondDerivation = false, deviceName } = parts;
    const named = deviceName === undefined ? {} : { deviceName };
    this.wallet = new Wallet({
      ...named,
      router,
      pins,
      walletId,
      storage,
      credential,
      group,
      random: draw,
      now,
      secondDerivation,
    });
    this.surroundings = { pins, group, random: draw, now };
    this.#perform = createPerformer({ group, router, storage, approval: new Approval(credential, this.surroundings) });
  }

  /** @param around performs each effect, changed before or after if it likes */
  run<T>(program: Program<T>, around: Around = (effect, perform) => perform(effect)): Promise<T> {
    const perform = (effect: Effect): unknown =>
      effect.kind === 'all' ? Promise.all(effect.programs.map((each) => run(each, perform))) : around(effect, this.#perform);
    return run(program, perform);
  }

  /** Fills a signer's stock, as the wallet's own does. */
  async stockUp(signer: LaneSigner): Promise<void> {
    for (const presign of await this.run(signer.fetch(signer.wanted))) signer.takeIn(presign);
  }
}

export type Around = (effect: Effect, perform: (effect: Effect) => unknown) => unknown;

/** The code of the error that `action` ends with, or `done`. */
export async function outcomeOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'done',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : `not of the closed list: ${error}`),
  );
}

export const MESSAGE = new TextEncoder().encode('a transaction');

/** Whether the device makes a signature that other people's code accepts. */
export async function signs({ wallet }: TestDevice, publicKey: Uint8Array, keyIndex = 0): Promise<boolean> {
  const { signature } = await wallet.sign(MESSAGE, { keyIndex });
  return ed25519.verify(signature, MESSAGE, publicKey);
}
