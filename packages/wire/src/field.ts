import { LIMITS, schema, YaoError } from '@streaming-yao/core';

/** Names the protocol in every domain tag; a new wire version is a new name. */
export const PROTOCOL = 'streaming-yao/1';

export const walletId = schema.text(/^[A-Za-z0-9._-]+$/, LIMITS.walletIdBytes);
/** Names of deployments, profiles and HPKE keys. */
export const name = schema.text(/^[A-Za-z0-9._-]+$/, 64);
/** What people call a credential or lane: no control characters. */
export const label = schema.text(/^[^\p{C}]*$/u, 64);
/** What people call a device: the same, and not blank. */
export const deviceName = schema.text(/^(?=.*\S)[^\p{C}]*$/u, 64);
export const digest = schema.bytes(32);
/** Compressed Edwards point or X25519 key. */
export const publicKey = schema.bytes(32);
export const scalar = schema.bytes(32);
export const nonce = schema.bytes(32);
export const signature = schema.bytes(64);
/** Compact JWS or JWT (RFC 7515, RFC 7519). */
export const compactJws = schema.text(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, 4096);

export const OPERATIONS = ['register', 'recover', 'refresh', 'link', 'export'] as const;
export type Operation = (typeof OPERATIONS)[number];
const operations = schema.oneOf(...OPERATIONS);
export const operation: schema.Codec<Operation> = {
  ...operations,
  fromJson: (json, path) => {
    if (typeof json !== 'string' || OPERATIONS.some((known) => known === json)) return operations.fromJson(json, path);
    throw new YaoError('unknown_operation', `${path}: there is no such operation; known are ${OPERATIONS.join(', ')}`);
  },
};

export const PROFILES = ['one-account', 'two-operators'] as const;
export const profile = schema.oneOf(...PROFILES);
