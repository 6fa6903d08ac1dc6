import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, type KDFFactory, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';

/** RFC 5869. An envelope takes ten short hashes, and Web Crypto goes to another thread and back for each of them. */
const hkdf: KDFFactory = () => ({
  ...KDF_HKDF_SHA256(),
  Extract: async (salt, key) => extract(sha256, key, salt),
  Expand: async (key, info, length) => expand(sha256, key, info, length),
});

const kem = () => Object.assign(KEM_DHKEM_X25519_HKDF_SHA256(), { kdf: hkdf() });

/** DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM of RFC 9180; X25519 and AES are the platform's. */
export const hpkeSuite = new CipherSuite(kem, hkdf, AEAD_AES_256_GCM);
