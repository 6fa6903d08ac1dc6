import type { Storage } from '@streaming-yao/client';
import { type Infer, SecretBytes, schema } from '@streaming-yao/core';
import { Credential } from '@streaming-yao/wire';

/** What this browser remembers of its one wallet beside the shares: which it is, and what opens it. */
const Profile = schema.message('streaming-yao/1 wallet-page profile', {
  walletId: schema.text(/^[A-Za-z0-9._-]+$/, 64),
  /** How this device comes by its first share, which it may still be waiting for. */
  origin: schema.oneOf('register', 'recover', 'link'),
  /** Absent until this device has a share. */
  publicKey: schema.optional(schema.bytes(32)),
  /** Absent on a device that was linked: it can sign, and asks for nothing else. */
  credential: schema.optional(Credential),
});
export type Profile = Infer<typeof Profile.codec>;

const NAME = 'page/profile';

export async function readProfile(storage: Storage): Promise<Profile | undefined> {
  using stored = await storage.get(NAME);
  return stored?.use(Profile.decode);
}

/** @param profile `undefined` deletes it */
export async function writeProfile(storage: Storage, profile: Profile | undefined): Promise<void> {
  using record = profile && SecretBytes.own(Profile.encode(profile));
  await storage.set(NAME, record);
}

/** Deletes everything that this device keeps: shares, requests under way, settings of the wallet. */
export async function forgetAll(storage: Storage): Promise<void> {
  for (const name of await storage.names('')) await storage.set(name, undefined);
}
