import { sha512 } from '@noble/hashes/sha2.js';
import { SecretBytes, utf8 } from '@streaming-yao/core';
import { decodeWideScalar, type Group } from '@streaming-yao/group';

const CONTEXT = 'FROST-ED25519-SHA512-v1';

function hash(tag: string, parts: readonly Uint8Array[]): Uint8Array {
  const state = sha512.create();
  if (tag) state.update(utf8(CONTEXT + tag));
  for (const part of parts) state.update(part);
  return state.digest();
}

/** Binding factors. RFC 9591 section 6.1, as every function of this file. */
export const H1 = (...parts: readonly Uint8Array[]): bigint => decodeWideScalar(hash('rho', parts));

/** The challenge: RFC 8032's hash, without the suite's name. */
export const H2 = (...parts: readonly Uint8Array[]): bigint => decodeWideScalar(hash('', parts));

/** The message, 64 bytes. */
export const H4 = (message: Uint8Array): Uint8Array => hash('msg', [message]);

/** The commitment list, 64 bytes. */
export const H5 = (...parts: readonly Uint8Array[]): Uint8Array => hash('com', parts);

/**
 * H3 over 32 random bytes and the signer's share: a weak random source alone does not give the nonce away.
 * RFC 9591 section 4.1.
 */
export function nonceGenerate(group: Group, share: SecretBytes, random: (length: number) => Uint8Array): SecretBytes {
  const fresh = random(32);
  using wide = SecretBytes.own(share.use((bytes) => hash('nonce', [fresh, bytes])));
  fresh.fill(0);
  return group.reduceScalar(wide);
}
