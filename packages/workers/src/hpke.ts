import { concatBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';

const ENCAPSULATED_BYTES = 32;
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

/** The private HPKE keys of a role, by key id. */
export class EnvelopeKeys {
  readonly #keys: ReadonlyMap<string, SecretBytes>;
  readonly #imported = new Map<string, Promise<CryptoKey>>();

  /** @param keys 32-byte X25519 private keys by key id, kept */
  constructor(keys: ReadonlyMap<string, SecretBytes>) {
    this.#keys = keys;
  }

  /** @throws YaoError `envelope_rejected` for an unknown key, and for an envelope not made for it, `info` and `aad` */
  async open(keyId: string, info: Uint8Array, aad: Uint8Array, envelope: Uint8Array): Promise<SecretBytes> {
    const key = await this.#import(keyId);
    try {
      const enc = envelope.subarray(0, ENCAPSULATED_BYTES);
      return SecretBytes.own(await suite.Open(key, enc, envelope.subarray(ENCAPSULATED_BYTES), { info, aad }));
    } catch {
      throw new YaoError('envelope_rejected', `the envelope was not sealed to key ${keyId} for this request`);
    }
  }

  #import(keyId: string): Promise<CryptoKey> {
    const known = this.#imported.get(keyId);
    if (known) return known;
    const secret = this.#keys.get(keyId);
    if (!secret) throw new YaoError('envelope_rejected', `there is no key ${keyId.slice(0, 64)} here; fetch the current ones`);
    const imported = secret.use((bytes) => suite.DeserializePrivateKey(bytes, false));
    this.#imported.set(keyId, imported);
    return imported;
  }
}
