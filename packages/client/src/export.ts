import { exportSeed, pendingName } from '@streaming-yao/ceremony/client';
import type { Custody } from './custody.ts';
import type { Device } from './device.ts';
import { intentOf } from './intent.ts';
import { formatKey, type KeyFormat } from './key-format.ts';
import type { Exported } from './wallet-answers.ts';

/** Has the whole key made and opens it in one form; nothing of it stays on the device. */
export async function exportKey(device: Device, custody: Custody, keyIndex: number, format: KeyFormat): Promise<Exported> {
  const { options, surroundings } = device;
  const { lane, epoch: expectedEpoch, publicKey } = await device.lane(keyIndex);
  const { result, answer } = await custody.withAuthority(keyIndex, async (authority) => {
    const intent = intentOf(options, 'export', { keyIndex, lane, expectedEpoch, registeredKey: publicKey, authority });
    return await device.run(exportSeed(surroundings, intent, await custody.rootSource()));
  });
  using seed = result;
  await options.storage.set(pendingName(options.walletId, keyIndex), undefined);
  return { key: formatKey(format, seed, publicKey), answer };
}
