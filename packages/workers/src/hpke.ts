import { concatBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import {
  AEAD_AES_256_GCM,
  CipherSuite,
  DecapError,
  DeserializeError,
  KDF_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
  type KeyPair,
  OpenError,
} from 'hpke';

const ENCAPSULATED_BYTES = 32;
const TAG_BYTES = 16;
const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

/** Base mode of RFC 9180. @returns the encapsulated key of 32 bytes, then the ciphertext */
export async function sealEnvelope(
  publicKey: Uint8Array,
  info: Uint8Array,
  aad: Uint8Array,
  plaintext: SecretBytes,
): Promise<Uint8Array> {
  let recipient: CryptoKey;
  try {
    recipient = await suite.DeserializePublicKey(publicKey);
  } catch {
    throw new YaoError('invalid_point', 'the recipient key of an envelope is not an X25519 key');
  }
  const { encapsulatedSecret, ciphertext } = await plaintext.use((bytes) => suite.Seal(recipient, bytes, { info, aad }));
  return concatBytes(encapsulatedSecret, ciphertext);
}

/** An X25519 key pair of 32-byte halves; the platform cannot make the public one from a key that stays inside. */
export interface HpkeKeyPair {
  readonly privateKey: SecretBytes;
  readonly publicKey: Uint8Array;
}

/** The HPKE keys of a role, by key id. */
export class EnvelopeKeys {
  readonly #keys: ReadonlyMap<string, HpkeKeyPair>;
  readonly #imported = new Map<string, KeyPair<CryptoKey>>();

  /** @param keys kept */
  constructor(keys: ReadonlyMap<string, HpkeKeyPair>) {
    this.#keys = keys;
  }

  /** @throws YaoError `envelope_rejected` for an unknown key, and for an envelope not made for it, `info` and `aad` */
  async open(keyId: string, info: Uint8Array, aad: Uint8Array, envelope: Uint8Array): Promise<SecretBytes> {
    const key = this.#imported.get(keyId) ?? (await this.#import(keyId));
    if (envelope.length < ENCAPSULATED_BYTES + TAG_BYTES) throw rejected(keyId);
    try {
      const enc = envelope.subarray(0, ENCAPSULATED_BYTES);
      return SecretBytes.own(await suite.Open(key, enc, envelope.subarray(ENCAPSULATED_BYTES), { info, aad }));
    } catch (error) {
      if (error instanceof OpenError || error instanceof DecapError || error instanceof DeserializeError) throw rejected(keyId);
      throw error;
    }
  }

  async #import(keyId: string): Promise<KeyPair<CryptoKey>> {
    const pair = this.#keys.get(keyId);
    if (!pair) throw new YaoError('envelope_rejected', `there is no key ${keyId.slice(0, 64)} here; fetch the current ones`);
    const privateKey = await pair.privateKey.use((bytes) => suite.DeserializePrivateKey(bytes, false));
    const imported = { privateKey, publicKey: await suite.DeserializePublicKey(pair.publicKey) };
    this.#imported.set(keyId, imported);
    return imported;
  }
}

const rejected = (keyId: string): YaoError =>
  new YaoError('envelope_rejected', `the envelope was not sealed to key ${keyId} for this request`);
