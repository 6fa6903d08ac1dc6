import type { Core, DeriverRole, PackageContext } from '@streaming-yao/wire';
import { newEpochOf } from './operation.ts';

/** The additional data under which `source` sealed its package for `recipient`. */
export function packageContext(
  { core, ceremonyId }: { readonly core: Core; readonly ceremonyId: Uint8Array },
  source: DeriverRole,
  recipient: 'client' | 'signing-worker',
): PackageContext {
  const { operation, walletId, keyIndex, lane, profile } = core;
  const recipientKeyId = recipient === 'client' ? 'recipient' : core.signingWorkerKeyId;
  return { ceremonyId, operation, source, recipient, recipientKeyId, walletId, keyIndex, lane, epoch: newEpochOf(core), profile };
}
