import { equalBytes } from '@streaming-yao/core';
import type { Kernel } from './kernel.ts';
import { decodeWideScalar, encodeScalar, L, littleEndian } from './scalar.ts';
import { sha512 } from './sha512.ts';

/** Leaves response * G - challenge * A at `q`; false where A is no good. */
type Recover = (response: bigint, challenge: bigint) => boolean;

/** RFC 8032 section 5.1.7 as {@link Group.verifyEd25519} has it: R is recovered from key, S and hash, and compared byte for byte. */
export function verifyEd25519(
  kernel: Kernel,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  recover: Recover,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const nonce = signature.subarray(0, 32);
  const response = littleEndian(signature.subarray(32));
  if (response >= L) return false;
  const challenge = decodeWideScalar(sha512(kernel, [nonce, publicKey, message]));
  if (!recover(response, challenge)) return false;
  const { run, out, q } = kernel;
  run.encode(out, q);
  return equalBytes(kernel.read(out, 32), nonce) && run.isSmallOrder(q) === 0;
}

/** {@link Recover} for a key as it came, which may have a torsion component but not be of small order. */
export function recoverFrom(kernel: Kernel, publicKey: Uint8Array, response: bigint, challenge: bigint): boolean {
  const { run, a, out, p, q } = kernel;
  // -A is the same bytes with the other sign. (L - challenge) * A would not do: with torsion, it differs from -challenge * A.
  kernel.write(out, publicKey);
  kernel.write(out + 31, Uint8Array.of((publicKey[31] as number) ^ 0x80));
  if (run.decode(p, out) !== 1 || run.isSmallOrder(p) === 1) return false;
  kernel.write(a, encodeScalar(response));
  run.combineBase(a);
  kernel.write(a, encodeScalar(challenge));
  run.combineTerm(0, a, p);
  run.combine(q, 1);
  return true;
}
