import { SecretBytes, utf8 } from '@streaming-yao/core';
import { decodeWideScalar, type Group } from '@streaming-yao/group';

const CONTEXT = 'FROST-ED25519-SHA512-v1';
const RHO = utf8(`${CONTEXT}rho`);
const NONCE = utf8(`${CONTEXT}nonce`);
const MESSAGE = utf8(`${CONTEXT}msg`);
const COMMITMENTS = utf8(`${CONTEXT}com`);

/** Binding factors. RFC 9591 section 6.1, as every function of this file. */
export const H1 = (group: Group, ...parts: readonly Uint8Array[]): bigint => decodeWideScalar(group.sha512(RHO, ...parts));

/** The challenge: RFC 8032's hash, without the suite's name. */
export const H2 = (group: Group, ...parts: readonly Uint8Array[]): bigint => decodeWideScalar(group.sha512(...parts));

/** The message, 64 bytes. */
export const H4 = (group: Group, message: Uint8Array): Uint8Array => group.sha512(MESSAGE, message);

/** The commitment list, 64 bytes. */
export const H5 = (group: Group, ...parts: readonly Uint8Array[]): Uint8Array => group.sha512(COMMITMENTS, ...parts);

/**
 * H3 over 32 random bytes and the signer's share: a weak random source alone does not give the nonce away.
 * RFC 9591 section 4.1.
 */
export function nonceGenerate(group: Group, share: SecretBytes, random: (length: number) => Uint8Array): SecretBytes {
  const fresh = random(32);
  using wide = SecretBytes.own(share.use((bytes) => group.sha512(NONCE, fresh, bytes)));
  fresh.fill(0);
  return group.reduceScalar(wide);
}
