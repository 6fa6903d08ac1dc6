import type { Intent } from '@streaming-yao/ceremony/client';
import type { DeviceOptions } from './device.ts';

type Given = 'operation' | 'walletId' | 'credentialId';
type Defaulted = 'keyIndex' | 'expectedEpoch' | 'registeredKey' | 'retireOtherLanes' | 'authorityUpdates';

/** What the user of a device wants; of a new lane of the first key unless told otherwise. */
export function intentOf(
  { walletId, credential }: Pick<DeviceOptions, 'walletId' | 'credential'>,
  operation: Intent['operation'],
  rest: Omit<Intent, Given | Defaulted> & Partial<Pick<Intent, Defaulted>>,
): Intent {
  const defaults = { keyIndex: 0, expectedEpoch: 0, registeredKey: null, retireOtherLanes: false, authorityUpdates: [] };
  return { ...defaults, operation, walletId, credentialId: credential.id, ...rest };
}
