import { concludeLink, type DevicePublicKeys, type LinkFacts, prepareLink } from '@streaming-yao/ceremony/client';
import { equalBytes } from '@streaming-yao/core';
import type { CeremonyRequest } from '@streaming-yao/wire';
import type { Custody } from './custody.ts';
import type { Device } from './device.ts';
import { intentOf } from './intent.ts';

/** Lets the offering device have a lane; what an earlier attempt for the same offer has begun is concluded. */
export async function approveLink(
  device: Device,
  custody: Custody,
  keyIndex: number,
  offer: DevicePublicKeys,
): Promise<LinkFacts> {
  const { options, surroundings } = device;
  const { publicKey } = await device.lane(keyIndex);
  const conclude = async (request: CeremonyRequest): Promise<LinkFacts> => {
    const ceremonyId = await device.run(concludeLink(request));
    return { walletId: options.walletId, keyIndex, publicKey, ceremonyId };
  };
  const kept = await device.keptLink(keyIndex);
  const isSame = kept && equalBytes(kept.core.recipientKey, offer.recipientKey) && equalBytes(kept.core.laneKey, offer.laneKey);
  if (isSame) return conclude(kept);
  const { nextLane, authority } = await custody.lanes(keyIndex);
  const intent = intentOf(options, 'link', { keyIndex, lane: nextLane, registeredKey: publicKey, authority });
  const source = await custody.rootSource();
  return conclude(await device.run(prepareLink(surroundings, intent, source, offer)));
}
