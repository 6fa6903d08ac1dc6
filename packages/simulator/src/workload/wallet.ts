import type { Intent } from '@streaming-yao/ceremony/client';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { type Authority, idOfCredential, type Operation } from '@streaming-yao/wire';
import type { Device } from '../device.ts';

/** One user's wallet on one device. */
export interface Wallet {
  readonly walletId: string;
  readonly device: Device;
  /** Which of the device's credentials acts: P-256 or Ed25519. */
  readonly credential: 0 | 1;
}

export function authorityOf(s: ClientSurroundings, { walletId, device }: Wallet): Authority {
  return {
    deployment: s.pins.deployment,
    walletId,
    version: 1,
    previous: null,
    credentials: device.credentials,
  };
}

export function credentialOf({ device, credential }: Wallet): Uint8Array {
  const chosen = device.credentials[credential];
  if (!chosen) throw new RangeError('a device has two credentials');
  return idOfCredential(chosen);
}

type Place = Pick<Intent, 'registeredKey' | 'lane'> & Partial<Pick<Intent, 'expectedEpoch' | 'retireOtherLanes'>>;

/** @param authority of the wallet now; the first one by default */
export function intentOf(
  s: ClientSurroundings,
  wallet: Wallet,
  operation: Operation,
  place: Place,
  authority = authorityOf(s, wallet),
): Intent {
  const { walletId } = wallet;
  const credentialId = credentialOf(wallet);
  const authorityUpdates = operation === 'register' ? [{ authority, proof: null }] : [];
  const defaults = { keyIndex: 0, expectedEpoch: 0, retireOtherLanes: false };
  return { ...defaults, operation, walletId, authority, authorityUpdates, credentialId, ...place };
}
