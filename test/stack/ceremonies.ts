import {
  createDeviceKeys,
  type Finished,
  type Intent,
  type Lane,
  obtainLane,
  prepareRequest,
  publicHalves,
} from '@streaming-yao/ceremony/client';
import type { SecretBytes } from '@streaming-yao/core';
import type { CeremonyRequest, Operation, SignedAuthority } from '@streaming-yao/wire';
import { type Around, secret, type TestDevice } from './device.ts';

/** A wallet's one credential is its device's. */
export function firstAuthority({ walletId, credential, surroundings }: TestDevice): SignedAuthority {
  const { deployment } = surroundings.pins;
  const authority = { deployment, walletId, version: 1, previous: null, credentials: [credential.record] };
  return { authority, proof: null };
}

/** What the owner of `device` asks for; of its first lane at its first epoch, unless told otherwise. */
export async function intentOf(
  device: TestDevice,
  operation: Operation,
  registeredKey: Uint8Array | null,
  changes: Partial<Intent> = {},
): Promise<Intent> {
  const first = firstAuthority(device);
  const fresh = operation === 'recover' || operation === 'link';
  return {
    operation,
    walletId: device.walletId,
    keyIndex: 0,
    lane: fresh ? 2 : 1,
    expectedEpoch: operation === 'register' || fresh ? 0 : 1,
    registeredKey,
    retireOtherLanes: false,
    authority: first.authority,
    authorityUpdates: operation === 'register' ? [first] : [],
    credentialId: device.credential.id,
    ...changes,
  };
}

/** A registered key whose client root the test knows. */
export interface RegisteredKey {
  readonly device: TestDevice;
  readonly root: SecretBytes;
  readonly lane: Lane;
  readonly answer: Finished<Lane>['answer'];
}

export async function registerKey(device: TestDevice, root: SecretBytes = secret(), around?: Around): Promise<RegisteredKey> {
  const intent = await intentOf(device, 'register', null);
  const { result: lane, answer } = await device.run(obtainLane(device.surroundings, intent, root), around);
  return { device, root, lane, answer };
}

/** A request that the user made and authorized, and nobody has sent. */
export async function authorizedRequest(
  { device, root, lane }: Pick<RegisteredKey, 'device' | 'root' | 'lane'>,
  operation: Operation,
  changes: Partial<Intent> = {},
  around?: Around,
): Promise<CeremonyRequest> {
  const intent = await intentOf(device, operation, operation === 'register' ? null : lane.publicKey, changes);
  const { surroundings } = device;
  return device.run(
    prepareRequest(surroundings, intent, root, publicHalves(surroundings, createDeviceKeys(surroundings))),
    around,
  );
}
