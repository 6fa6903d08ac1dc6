import { fromBase64Url, type Infer, SecretBytes, schema, toBase64Url, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';

/**
 * A secret as it is handed to a role: `yao-secret:<role>:<purpose>:<base64url>`. Role and purpose stand in the text, so
 * that a secret given to the wrong role, or under the wrong name, is noticed before it is used.
 */
export const SECRET_MARK = 'yao-secret:';

export const PURPOSES = ['signing-key', 'derivation-root', 'storage-key', 'hpke-keys'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The secrets of each role: all of them, and no other. */
export const SECRETS_OF: Readonly<Record<Role, readonly Purpose[]>> = {
  router: ['signing-key'],
  'deriver-a': ['signing-key', 'derivation-root', 'storage-key', 'hpke-keys'],
  'deriver-b': ['signing-key', 'derivation-root', 'storage-key', 'hpke-keys'],
  'signing-worker': ['signing-key', 'storage-key', 'hpke-keys'],
};

/** The environment variable that carries a secret, for example `SIGNING_KEY`. */
export const variableOf = (purpose: Purpose): string => purpose.toUpperCase().replaceAll('-', '_');

/** What `hpke-keys` holds: the private X25519 keys that still open envelopes, newest first. */
export const HpkePrivateKeys = schema.message('streaming-yao/1 hpke-private-keys', {
  keys: schema.list(
    schema.struct({
      keyId: schema.text(/^[A-Za-z0-9._-]+$/, 64),
      privateKey: schema.bytes(32),
      notBeforeMs: schema.timeMs,
      notAfterMs: schema.timeMs,
    }),
    1,
    2,
  ),
});
export type HpkePrivateKeys = Infer<typeof HpkePrivateKeys.codec>;

/** The only place that turns a secret into text. */
export function formatSecret(role: Role | 'operator', purpose: Purpose, secret: SecretBytes): string {
  return `${SECRET_MARK}${role}:${purpose}:${secret.use(toBase64Url)}`;
}

const BYTES: Readonly<Partial<Record<Purpose, number>>> = { 'signing-key': 32, 'derivation-root': 32, 'storage-key': 32 };

/** @throws YaoError `config_invalid`, without a trace of the value */
export function parseSecret(role: Role | 'operator', purpose: Purpose, text: unknown): SecretBytes {
  const refuse = (why: string): never => {
    throw new YaoError('config_invalid', `${role}: ${variableOf(purpose)} ${why}; make secrets with "npm run keygen"`, {
      party: 'operator',
    });
  };
  if (text === undefined) return refuse('is missing');
  if (typeof text !== 'string' || !text.startsWith(SECRET_MARK)) return refuse('is not a secret of this software');
  const [foundRole, foundPurpose, encoded, ...rest] = text.slice(SECRET_MARK.length).split(':');
  if (foundRole !== role) return refuse('is the secret of another role');
  if (foundPurpose !== purpose) return refuse('is a secret for another purpose');
  if (encoded === undefined || rest.length > 0) return refuse('is damaged');
  let secret: SecretBytes;
  try {
    secret = SecretBytes.own(fromBase64Url(encoded));
  } catch {
    return refuse('is damaged');
  }
  const length = BYTES[purpose];
  return length === undefined || secret.length === length ? secret : refuse(`has not ${length} bytes`);
}
