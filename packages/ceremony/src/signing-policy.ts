import { type Infer, schema } from '@streaming-yao/core';
import { messageKinds } from '@streaming-yao/wire';

/** What a SigningWorker signs: its configuration, never a request's. */
export const SigningPolicy = schema.struct({
  kinds: messageKinds,
  /** Whether a signature has to count in a session that the user approved of. */
  sessions: schema.oneOf('optional', 'required'),
});
export type SigningPolicy = Infer<typeof SigningPolicy>;
