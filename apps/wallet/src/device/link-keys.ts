import type { DeviceKeys, Storage } from '@streaming-yao/client';
import { SecretBytes, schema } from '@streaming-yao/core';

/** The keys of a device that waits to be linked. They are kept, since the answer may arrive in another tab or after a reload. */
const LinkKeys = schema.message('streaming-yao/1 wallet-page link-keys', {
  recipientKey: schema.bytes(32),
  laneSeed: schema.bytes(32),
});

const NAME = 'page/link-keys';

export async function keepLinkKeys(storage: Storage, { recipientKey, laneSeed }: DeviceKeys): Promise<void> {
  using record = recipientKey.map((recipient) =>
    laneSeed.use((seed) => LinkKeys.encode({ recipientKey: recipient, laneSeed: seed })),
  );
  await storage.set(NAME, record);
}

export async function recallLinkKeys(storage: Storage): Promise<DeviceKeys | undefined> {
  using record = await storage.get(NAME);
  if (!record) return undefined;
  const { recipientKey, laneSeed } = record.use(LinkKeys.decode);
  return { recipientKey: SecretBytes.own(recipientKey), laneSeed: SecretBytes.own(laneSeed) };
}

export const dropLinkKeys = (storage: Storage): Promise<void> => storage.set(NAME, undefined);
