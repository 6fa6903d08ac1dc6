import { createPrivateKey, createPublicKey, type KeyObject, sign as signWithKey, verify as verifyWithKey } from 'node:crypto';
import type { SignatureAlgorithm } from '@streaming-yao/ceremony/program';
import { concatBytes, fromHex, type SecretBytes, toBase64Url } from '@streaming-yao/core';

/** PKCS #8 and SPKI around Ed25519 keys (RFC 8410). */
const PKCS8_ED25519 = fromHex('302e020100300506032b657004220420');
const SPKI_ED25519 = fromHex('302a300506032b6570032100');

function publicKeyObject(algorithm: SignatureAlgorithm, publicKey: Uint8Array): KeyObject {
  if (algorithm === 'ed25519') {
    return createPublicKey({ key: Buffer.from(concatBytes(SPKI_ED25519, publicKey)), format: 'der', type: 'spki' });
  }
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)];
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: toBase64Url(x), y: toBase64Url(y) }, format: 'jwk' });
}

/** Ed25519 of RFC 8032, at once: deterministic, and nothing to wait for. */
export function signEd25519(seed: SecretBytes, message: Uint8Array): Uint8Array {
  const key = seed.use((bytes) =>
    createPrivateKey({ key: Buffer.from(concatBytes(PKCS8_ED25519, bytes)), format: 'der', type: 'pkcs8' }),
  );
  return Uint8Array.from(signWithKey(null, message, key));
}

/** @returns `false` also for a malformed key or signature */
export function verifySignature(
  algorithm: SignatureAlgorithm,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const key = publicKeyObject(algorithm, publicKey);
    return algorithm === 'ed25519'
      ? verifyWithKey(null, message, key, signature)
      : verifyWithKey('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}
