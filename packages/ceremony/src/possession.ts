import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, SecretBytes } from '@streaming-yao/core';
import { decodeScalar } from '@streaming-yao/group';
import type { ClientSurroundings } from './role.ts';

/**
 * A Schnorr proof that the device holds `share`, in the form of an Ed25519 signature (RFC 8032 section 5.1.6) under the public
 * commitment to the share; the nonce is random and hedged with the share.
 * @returns 64 bytes
 */
export function provePossession({ group, random }: ClientSurroundings, share: SecretBytes, message: Uint8Array): Uint8Array {
  using hedged = share.map((bytes) => sha512(concatBytes(random(32), bytes)));
  using nonce = group.reduceScalar(hedged);
  const commitment = group.baseMultiply(nonce);
  using digest = SecretBytes.own(sha512(concatBytes(commitment, group.baseMultiply(share), message)));
  using challenge = group.reduceScalar(digest);
  using response = group.multiplyAdd(challenge.use(decodeScalar), share, nonce);
  return response.use((bytes) => concatBytes(commitment, bytes));
}
