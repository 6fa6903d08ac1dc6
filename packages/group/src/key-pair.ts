import { concatBytes, type SecretBytes } from '@streaming-yao/core';
import type { Group } from './group.ts';
import { decodeWideScalar, invalidScalar } from './scalar.ts';

type Arithmetic = Pick<Group, 'sha512' | 'reduceScalar' | 'commitTwo' | 'baseMultiply' | 'multiplyAdd'>;

/** The scalar that 32 bytes stand for, with the bits set and cleared that RFC 8032 and RFC 7748 ask for, mod L. */
export function clampedScalar(group: Pick<Group, 'reduceScalar'>, bytes: SecretBytes): SecretBytes {
  if (bytes.length !== 32) throw invalidScalar(`a private key has 32 bytes, not ${bytes.length}`);
  using clamped = bytes.map((unclamped) => {
    const copy = unclamped.slice();
    copy[0] = (copy[0] as number) & 0xf8;
    copy[31] = ((copy[31] as number) & 0x7f) | 0x40;
    return copy;
  });
  return group.reduceScalar(clamped);
}

/** A seed's scalar, and the prefix that its nonces come from: 32 bytes each. */
function expand(group: Arithmetic, seed: SecretBytes): { readonly scalar: SecretBytes; readonly prefix: SecretBytes } {
  if (seed.length !== 32) throw invalidScalar(`a seed has 32 bytes, not ${seed.length}`);
  using digest = seed.map((bytes) => group.sha512(bytes));
  using lower = digest.map((bytes) => bytes.slice(0, 32));
  return { scalar: clampedScalar(group, lower), prefix: digest.map((bytes) => bytes.slice(32)) };
}

export function publicKeyOf(group: Arithmetic, seed: SecretBytes): Uint8Array {
  const { scalar, prefix } = expand(group, seed);
  prefix.wipe();
  using secret = scalar;
  return group.baseMultiply(secret);
}

export function signEd25519(group: Arithmetic, seed: SecretBytes, message: Uint8Array): Uint8Array {
  const { scalar, prefix } = expand(group, seed);
  using secret = scalar;
  using noncePrefix = prefix;
  using wide = noncePrefix.map((bytes) => group.sha512(bytes, message));
  using nonce = group.reduceScalar(wide);
  const [publicKey, commitment] = group.commitTwo(secret, nonce);
  const challenge = decodeWideScalar(group.sha512(commitment.encoded, publicKey.encoded, message));
  using response = group.multiplyAdd(challenge, secret, nonce);
  return response.use((bytes) => concatBytes(commitment.encoded, bytes));
}
