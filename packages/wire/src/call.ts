import { type Infer, schema } from '@streaming-yao/core';
import { digest, PROTOCOL, signature } from './field.ts';
import { role } from './role.ts';

/** What one role signs for another: that it calls, or that it is the one who answers to the opening of a stream. */
export const RoleCall = schema.message(`${PROTOCOL} role-call`, {
  kind: schema.oneOf('call', 'stream-answer'),
  caller: role,
  audience: role,
  /** With its query. */
  path: schema.text(/^\//, 1024),
  /** SHA-256 of the body, or of the opening. */
  body: digest,
  issuedAtMs: schema.timeMs,
});
export type RoleCall = Infer<typeof RoleCall.codec>;

/** What travels with a call of the {@link RoleCall} under it: all that whoever is called does not know. */
export const CallToken = schema.message(`${PROTOCOL} call-token`, { issuedAtMs: schema.timeMs, signature });
export type CallToken = Infer<typeof CallToken.codec>;
