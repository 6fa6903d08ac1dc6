import { type Infer, LIMITS, schema } from '@streaming-yao/core';
import { role } from './role.ts';

/** One message that passed a role: kind, direction and length are what any observer of the network sees as well. */
export const Passage = schema.struct({
  peer: schema.oneOf('client', 'router', 'deriver-a', 'deriver-b', 'signing-worker'),
  direction: schema.oneOf('sent', 'received'),
  /** A frame's kind between the Derivers; `request`, `call` or `answer` elsewhere. */
  message: schema.text(/^[a-z]+$/, 16),
  /** Of the frame, or of the JSON body. */
  bytes: schema.u32,
  /** Whole milliseconds since the timeline's start. On Cloudflare a Worker's clock stands still while it computes. */
  afterMs: schema.u32,
});
export type Passage = Infer<typeof Passage>;

/** What passed one role in a ceremony, by the role's own clock. Nobody signs it: it explains, it proves nothing. */
export const Timeline = schema.struct({
  role,
  startedAtMs: schema.timeMs,
  passages: schema.list(Passage, 0, LIMITS.timelinePassages),
});
export type Timeline = Infer<typeof Timeline>;
