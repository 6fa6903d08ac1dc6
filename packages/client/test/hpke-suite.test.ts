import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import { describe, expect, it } from 'vitest';
import { hpkeSuite } from '../src/hpke-suite.ts';

const suites = {
  own: hpkeSuite,
  library: new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM),
};
const context = { info: Uint8Array.of(1, 2, 3), aad: new Uint8Array(32).fill(4) };

describe.each([
  ['own', 'library'],
  ['library', 'own'],
  ['own', 'own'],
] as const)('what the %s suite seals', (sealing, opening) => {
  it.each([0, 1, 32, 1_000])(`the ${opening} suite opens: %i bytes`, async (length) => {
    const plaintext = crypto.getRandomValues(new Uint8Array(length));
    const { publicKey, privateKey } = await suites[opening].GenerateKeyPair(true);
    const recipient = await suites[sealing].DeserializePublicKey(await suites[opening].SerializePublicKey(publicKey));
    const { encapsulatedSecret, ciphertext } = await suites[sealing].Seal(recipient, plaintext, context);
    const pair = { publicKey, privateKey };
    expect(await suites[opening].Open(pair, encapsulatedSecret, ciphertext, context)).toEqual(plaintext);
    const other = { ...context, aad: new Uint8Array(32).fill(5) };
    await expect(suites[opening].Open(pair, encapsulatedSecret, ciphertext, other)).rejects.toThrow();
  });
});
