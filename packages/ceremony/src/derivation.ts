import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type SecretBytes, schema, utf8 } from '@streaming-yao/core';
import { type Core, PROTOCOL } from '@streaming-yao/wire';

/** What a key is derived for: stable over epochs, devices and transports. docs/protocol.md section 2. */
const DerivationContext = schema.message(`${PROTOCOL} derivation`, {
  deployment: schema.text(/./, 64),
  walletId: schema.text(/./, 64),
  keyIndex: schema.u32,
});

/**
 * One party's contribution to the seed: HKDF-SHA256 (RFC 5869) of its root.
 * @returns 32 bytes
 */
export function contribution(
  root: SecretBytes,
  party: 'client' | 'deriver-a' | 'deriver-b',
  core: Pick<Core, 'deployment' | 'walletId' | 'keyIndex'>,
): SecretBytes {
  const { deployment, walletId, keyIndex } = core;
  const context = DerivationContext.digest({ deployment, walletId, keyIndex });
  return root.map((bytes) => hkdf(sha256, bytes, context, utf8(party), 32));
}

/** Bitwise sum of two secrets of one length. */
export function xorSecrets(left: SecretBytes, right: SecretBytes): SecretBytes {
  return left.map((bytes) => right.use((other) => bytes.map((byte, i) => byte ^ (other[i] as number))));
}
