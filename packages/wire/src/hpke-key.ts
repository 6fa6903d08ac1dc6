import { type Infer, schema } from '@streaming-yao/core';
import { name, PROTOCOL, profile, publicKey, signature } from './field.ts';
import { role } from './role.ts';

/** A role's statement about one of its HPKE keys (X25519). */
export const HpkeKey = schema.message(`${PROTOCOL} hpke-key`, {
  role,
  keyId: name,
  publicKey,
  notBeforeMs: schema.timeMs,
  notAfterMs: schema.timeMs,
  deployment: name,
  profile,
});
export type HpkeKey = Infer<typeof HpkeKey.codec>;

/** The statement with the Ed25519 signature of its role's pinned key over {@link HpkeKey} encoded. */
export const SignedHpkeKey = schema.message(`${PROTOCOL} signed-hpke-key`, { statement: HpkeKey.codec, signature });
export type SignedHpkeKey = Infer<typeof SignedHpkeKey.codec>;
