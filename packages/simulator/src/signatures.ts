import { createPrivateKey, createPublicKey, type KeyObject, sign as signWithKey, verify as verifyWithKey } from 'node:crypto';
import type { SignatureAlgorithm } from '@streaming-yao/ceremony/program';
import { concatBytes, fromHex, type SecretBytes, toBase64Url, toHex } from '@streaming-yao/core';

/** PKCS #8 and SPKI around Ed25519 keys (RFC 8410). */
const PKCS8_ED25519 = fromHex('302e020100300506032b657004220420');
const SPKI_ED25519 = fromHex('302a300506032b6570032100');

function importPublicKey(algorithm: SignatureAlgorithm, publicKey: Uint8Array): KeyObject {
  if (algorithm === 'ed25519') {
    return createPublicKey({ key: Buffer.from(concatBytes(SPKI_ED25519, publicKey)), format: 'der', type: 'spki' });
  }
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)];
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: toBase64Url(x), y: toBase64Url(y) }, format: 'jwk' });
}

/** Imported keys: importing one costs as much as verifying under it. */
const publicKeys = new Map<string, KeyObject>();
const privateKeys = new WeakMap<SecretBytes, KeyObject>();
const MOST_PUBLIC_KEYS = 1000;

function publicKeyObject(algorithm: SignatureAlgorithm, publicKey: Uint8Array): KeyObject {
  const name = `${algorithm} ${toHex(publicKey)}`;
  const known = publicKeys.get(name) ?? importPublicKey(algorithm, publicKey);
  if (publicKeys.size === MOST_PUBLIC_KEYS) publicKeys.clear();
  publicKeys.set(name, known);
  return known;
}

function privateKeyObject(seed: SecretBytes): KeyObject {
  const known =
    privateKeys.get(seed) ??
    seed.use((bytes) => createPrivateKey({ key: Buffer.from(concatBytes(PKCS8_ED25519, bytes)), format: 'der', type: 'pkcs8' }));
  privateKeys.set(seed, known);
  return known;
}

/** Ed25519 of RFC 8032, at once: deterministic, and nothing to wait for. */
export function signEd25519(seed: SecretBytes, message: Uint8Array): Uint8Array {
  return Uint8Array.from(signWithKey(null, message, privateKeyObject(seed)));
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
