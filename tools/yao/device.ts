import {
  ed25519Credential,
  type KnownCredential,
  recoveryCredential,
  type Storage,
  Wallet,
  type WalletEvent,
} from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import { type Place, random } from './place.ts';

export const group = loadGroup();

const CREDENTIAL = 'credential';

/** What this device signs and unlocks with: made at the first use, kept sealed. */
async function deviceCredential(storage: Storage): Promise<KnownCredential> {
  using kept = await storage.get(CREDENTIAL);
  using secret = kept ?? SecretBytes.own(random(32));
  if (!kept) await storage.set(CREDENTIAL, secret);
  return ed25519Credential(group, secret, 'device', 'command line');
}

/** A wallet as the command line has it. */
export interface OpenedDevice {
  readonly wallet: Wallet;
  readonly storage: Storage;
  readonly place: Place;
}

/** How a device presents itself. */
export interface Presented {
  /** Recovery phrase to act with, where the device's own credential is none of the wallet's. */
  readonly phrase: string | undefined;
  /** What the lanes that it gets are called. */
  readonly deviceName: string | undefined;
}

export async function openDevice(
  place: Place,
  storage: Storage,
  onEvent: (event: WalletEvent) => void,
  { phrase, deviceName }: Presented,
): Promise<OpenedDevice> {
  const credential = phrase === undefined ? await deviceCredential(storage) : recoveryCredential(group, phrase);
  const { router, pins, walletId } = place;
  const named = deviceName === undefined ? {} : { deviceName };
  const wallet = new Wallet({ ...named, router, pins, walletId, storage, credential, group, random, onEvent });
  return { wallet, storage, place };
}

/** The credential with which this device will act for itself once it is the wallet's. */
export const ownCredential = ({ storage }: OpenedDevice): Promise<KnownCredential> => deviceCredential(storage);

/** @throws YaoError `invalid_request` */
export function wholeNumber(text: string | undefined, what: string): number {
  if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
  throw new YaoError('invalid_request', `${what} is a whole number`, { party: 'client' });
}
