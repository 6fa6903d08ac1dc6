import { sha512 } from '@noble/hashes/sha2.js';
import { equalBytes } from '@streaming-yao/core';
import type { Kernel } from './kernel.ts';
import { decodeWideScalar, encodeScalar } from './scalar.ts';

/** RFC 8032 section 5.1.7 as {@link Group.verifyEd25519} has it: R is recovered as S*G - k*A and compared byte for byte. */
export function verifyEd25519(kernel: Kernel, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const { run, a, out, p, q } = kernel;
  kernel.write(a, signature.subarray(32));
  if (run.scalarIsCanonical(a) !== 1) return false;
  run.combineBase(a);
  // -A is the same bytes with the other sign. (L - k) * A would not do: it differs from -k*A where A has a torsion component.
  kernel.write(out, publicKey);
  kernel.write(out + 31, Uint8Array.of((publicKey[31] as number) ^ 0x80));
  if (run.decode(p, out) !== 1 || run.isSmallOrder(p) === 1) return false;
  const nonce = signature.subarray(0, 32);
  const challenge = decodeWideScalar(sha512.create().update(nonce).update(publicKey).update(message).digest());
  kernel.write(a, encodeScalar(challenge));
  run.combineTerm(0, a, p);
  run.combine(q, 1);
  run.encode(out, q);
  return equalBytes(kernel.read(out, 32), nonce) && run.isSmallOrder(q) === 0;
}
