import type { DeviceKeys, DevicePublicKeys, LinkFacts, Storage } from '@streaming-yao/client';
import { fromBase64Url, type Infer, SecretBytes, schema, toBase64Url, YaoError } from '@streaming-yao/core';

const Offer = schema.message('streaming-yao/1 link-offer', {
  walletId: schema.text(/./, 64),
  recipientKey: schema.bytes(32),
  laneKey: schema.bytes(32),
});
const Approval = schema.message('streaming-yao/1 link-approval', {
  walletId: schema.text(/./, 64),
  keyIndex: schema.u32,
  publicKey: schema.bytes(32),
  ceremonyId: schema.bytes(32),
});
const OfferedKeys = schema.message('streaming-yao/1 offered-keys', {
  recipientKey: schema.bytes(32),
  laneSeed: schema.bytes(32),
});

function decoded<T>(Message: schema.Message<T>, code: string, what: string): T {
  try {
    return Message.decode(fromBase64Url(code.trim()));
  } catch {
    throw new YaoError('invalid_request', `this is not ${what}; copy it whole from the other device`, { party: 'client' });
  }
}

/** What the new device shows to the one that approves, outside the Router. */
export const offerCode = (walletId: string, offer: DevicePublicKeys): string => toBase64Url(Offer.encode({ walletId, ...offer }));
export const readOffer = (code: string): Infer<typeof Offer.codec> => decoded(Offer, code, 'the code of an offer');

/** What the approving device shows back. */
export const approvalCode = (facts: LinkFacts): string => toBase64Url(Approval.encode(facts));
export const readApproval = (code: string): LinkFacts => decoded(Approval, code, 'the code of an approval');

const OFFERED = 'offered';

/** Keys of an offer wait, sealed, for the approval. */
export async function keepOffered(storage: Storage, { recipientKey, laneSeed }: DeviceKeys): Promise<void> {
  using record = recipientKey.map((recipient) =>
    laneSeed.use((lane) => OfferedKeys.encode({ recipientKey: recipient, laneSeed: lane })),
  );
  await storage.set(OFFERED, record);
}

/** @throws YaoError `not_ready` */
export async function recallOffered(storage: Storage): Promise<DeviceKeys> {
  using record = await storage.get(OFFERED);
  if (!record) throw new YaoError('not_ready', 'this device has offered nothing; run "link offer" first', { party: 'client' });
  const { recipientKey, laneSeed } = record.use(OfferedKeys.decode);
  return { recipientKey: SecretBytes.own(recipientKey), laneSeed: SecretBytes.own(laneSeed) };
}

export const forgetOffered = (storage: Storage): Promise<void> => storage.set(OFFERED, undefined);
