import { createPrivateKey, createPublicKey } from 'node:crypto';
import { concatBytes, fromBase64Url, fromHex, SecretBytes, YaoError } from '@streaming-yao/core';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, type KEM, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import type { Tape } from './tape.ts';

const ENCAPSULATED_BYTES = 32;

/** PKCS #8 around an X25519 key (RFC 8410). */
const PKCS8_X25519 = fromHex('302e020100300506032b656e04220420');

function publicHalf(secret: Uint8Array): Uint8Array {
  const key = createPrivateKey({ key: Buffer.from(concatBytes(PKCS8_X25519, secret)), format: 'der', type: 'pkcs8' });
  return fromBase64Url(createPublicKey(key).export({ format: 'jwk' }).x ?? '');
}

type Pair = { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };

/** An X25519 key pair from its 32 secret bytes; the public half at hand spares the platform a question. */
async function pairOf(secret: Uint8Array): Promise<Pair> {
  const kem = KEM_DHKEM_X25519_HKDF_SHA256();
  const privateKey = await kem.DeserializePrivateKey(secret, false);
  const publicKey = await kem.DeserializePublicKey(publicHalf(secret));
  return { privateKey: privateKey as CryptoKey, publicKey: publicKey as CryptoKey };
}

/** The KEM with ephemeral keys from a tape, so that a replay makes the same ciphertexts. */
function kemOf(tape: Tape): () => KEM {
  return () => ({ ...KEM_DHKEM_X25519_HKDF_SHA256(), GenerateKeyPair: () => pairOf(tape.bytes(32)) });
}

/** HPKE of RFC 9180, base mode; an envelope is the encapsulated key of 32 bytes, then the ciphertext. */
export class Envelopes {
  readonly #suite: CipherSuite;

  constructor(tape: Tape) {
    this.#suite = new CipherSuite(kemOf(tape), KDF_HKDF_SHA256, AEAD_AES_256_GCM);
  }

  async seal(publicKey: Uint8Array, info: Uint8Array, aad: Uint8Array, plaintext: SecretBytes): Promise<Uint8Array> {
    const recipient = await this.#suite.DeserializePublicKey(publicKey);
    const { encapsulatedSecret, ciphertext } = await plaintext.use((bytes) => this.#suite.Seal(recipient, bytes, { info, aad }));
    return concatBytes(encapsulatedSecret, ciphertext);
  }

  /** @throws YaoError `envelope_rejected` */
  async open(privateKey: SecretBytes | undefined, info: Uint8Array, aad: Uint8Array, envelope: Uint8Array): Promise<SecretBytes> {
    if (!privateKey) throw new YaoError('envelope_rejected', 'there is no such HPKE key here');
    const key = await privateKey.use(pairOf);
    try {
      const encapsulated = envelope.subarray(0, ENCAPSULATED_BYTES);
      return SecretBytes.own(await this.#suite.Open(key, encapsulated, envelope.subarray(ENCAPSULATED_BYTES), { info, aad }));
    } catch {
      throw new YaoError('envelope_rejected', 'the envelope was not sealed to this key for this request');
    }
  }
}
