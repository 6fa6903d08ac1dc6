import { type Infer, schema } from '@streaming-yao/core';
import { digest, name, operation, PROTOCOL, profile, walletId } from './field.ts';

/** Additional data of one output package: where it came from, for whom, for which lane and epoch. */
export const PackageContext = schema.message(`${PROTOCOL} package`, {
  ceremonyId: digest,
  operation,
  source: schema.oneOf('deriver-a', 'deriver-b'),
  recipient: schema.oneOf('client', 'signing-worker'),
  /** The SigningWorker's key id; for the client, `recipient`: its key stands in the core. */
  recipientKeyId: name,
  walletId,
  keyIndex: schema.u32,
  lane: schema.u32,
  epoch: schema.u32,
  profile,
});
export type PackageContext = Infer<typeof PackageContext.codec>;
