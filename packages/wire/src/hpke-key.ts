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

/** Role → Router: the role's HPKE keys, newest first. */
export const KeysAnswer = schema.message(`${PROTOCOL} keys-answer`, { keys: schema.list(SignedHpkeKey.codec, 1, 2) });

/** Router → anybody. `GET /.well-known/streaming-yao`; believed only as far as pinned role keys signed it. */
export const DeploymentFacts = schema.message(`${PROTOCOL} deployment-facts`, {
  protocol: schema.oneOf(PROTOCOL),
  deployment: name,
  profile,
  /** Relying party id of the passkeys that count here, where any do. */
  rpId: schema.optional(schema.text(/^[a-z0-9.-]+$/, 253)),
  limits: schema.struct({
    bodyBytes: schema.u32,
    signedMessageBytes: schema.u32,
    keysPerWallet: schema.u32,
    lanesPerKey: schema.u32,
    credentialsPerAuthority: schema.u32,
    requestLifeMs: schema.u32,
    clockSkewMs: schema.u32,
  }),
  keys: schema.list(SignedHpkeKey.codec, 3, 6),
});
export type DeploymentFacts = Infer<typeof DeploymentFacts.codec>;
