import { SecretBytes } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import type { Core } from '@streaming-yao/wire';
import type { Surroundings } from './program.ts';

/** Keys that a device makes for one new lane; the first opens the answer, the second signs the lane's later requests. */
export interface DeviceKeys {
  /** X25519 */
  readonly recipientKey: SecretBytes;
  /** Ed25519 */
  readonly laneSeed: SecretBytes;
}

/** Their public halves, which stand in the core. A device that is linked shows them to the device that approves. */
export type DevicePublicKeys = Pick<Core, 'recipientKey' | 'laneKey'>;

export function createDeviceKeys({ random }: Surroundings): DeviceKeys {
  return { recipientKey: SecretBytes.own(random(32)), laneSeed: SecretBytes.own(random(32)) };
}

export function publicHalves({ group }: { readonly group: Group }, { recipientKey, laneSeed }: DeviceKeys): DevicePublicKeys {
  return { recipientKey: group.x25519PublicKey(recipientKey), laneKey: group.ed25519PublicKey(laneSeed) };
}

/** Ends the keys in memory; a record of them stays. */
export function wipeDeviceKeys({ recipientKey, laneSeed }: DeviceKeys): void {
  recipientKey.wipe();
  laneSeed.wipe();
}
