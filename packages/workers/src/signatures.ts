import type { SignatureAlgorithm } from '@streaming-yao/ceremony/program';
import { concatBytes, fromHex, type SecretBytes } from '@streaming-yao/core';

/** PKCS #8 around an Ed25519 seed (RFC 8410 section 7). */
const PKCS8_ED25519 = fromHex('302e020100300506032b657004220420');

/** @param seed 32 bytes (RFC 8032 section 5.1.5) */
export async function importSigningKey(seed: SecretBytes): Promise<CryptoKey> {
  const pkcs8 = seed.use((bytes) => concatBytes(PKCS8_ED25519, bytes));
  try {
    return await crypto.subtle.importKey('pkcs8', pkcs8 as BufferSource, 'Ed25519', false, ['sign']);
  } finally {
    pkcs8.fill(0);
  }
}

const signingKeys = new WeakMap<SecretBytes, CryptoKey>();

/** The same, kept with the seed for the next time. */
export async function signingKeyOf(seed: SecretBytes): Promise<CryptoKey> {
  const known = signingKeys.get(seed);
  if (known) return known;
  // Not a promise: on Workers one request must not wait for what another one has begun.
  const imported = await importSigningKey(seed);
  signingKeys.set(seed, imported);
  return imported;
}

const verificationKeys = new WeakMap<Uint8Array, CryptoKey>();

/** Kept with the bytes, which nobody changes: those of the pins come again and again. */
async function verificationKeyOf(algorithm: SignatureAlgorithm, publicKey: Uint8Array): Promise<CryptoKey> {
  const known = verificationKeys.get(publicKey);
  if (known) return known;
  const name = algorithm === 'ed25519' ? 'Ed25519' : { name: 'ECDSA', namedCurve: 'P-256' };
  const imported = await crypto.subtle.importKey('raw', publicKey as BufferSource, name, false, ['verify']);
  verificationKeys.set(publicKey, imported);
  return imported;
}

export async function sign(key: CryptoKey, message: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('Ed25519', key, message as BufferSource));
}

/** @returns `false` also for a malformed key or signature */
export async function verify(
  algorithm: SignatureAlgorithm,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  try {
    const key = await verificationKeyOf(algorithm, publicKey);
    const scheme = algorithm === 'ed25519' ? 'Ed25519' : { name: 'ECDSA', hash: 'SHA-256' };
    return await crypto.subtle.verify(scheme, key, signature as BufferSource, message as BufferSource);
  } catch {
    return false;
  }
}
