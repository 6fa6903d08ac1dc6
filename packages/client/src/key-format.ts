import { base58, base64 } from '@scure/base';
import { concatBytes, equalBytes, fromHex, SecretBytes, toHex, utf8, YaoError } from '@streaming-yao/core';

/** The closed list of forms in which a seed can leave. */
export const KEY_FORMATS = ['seed-hex', 'solana-base58', 'solana-json', 'near', 'pkcs8-pem', 'pkcs8-der', 'openssh'] as const;
/** One of {@link KEY_FORMATS}. */
export type KeyFormat = (typeof KEY_FORMATS)[number];

/** @throws YaoError `unknown_format` */
export function parseKeyFormat(name: string): KeyFormat {
  const found = KEY_FORMATS.find((format) => format === name);
  if (!found)
    throw new YaoError('unknown_format', `unknown key format "${name.slice(0, 32)}"; known are ${KEY_FORMATS.join(', ')}`, {
      party: 'client',
    });
  return found;
}

/** PKCS #8 version 1 without the public key (RFC 8410 section 7): 48 bytes with the seed. */
const PKCS8_PREFIX = fromHex('302e020100300506032b657004220420');

/** `seed` and its public key in the asked form; text, except `pkcs8-der`. */
export function formatKey(format: KeyFormat, seed: SecretBytes, publicKey: Uint8Array): string | Uint8Array {
  return seed.use((bytes) => {
    const both = concatBytes(bytes, publicKey);
    const pkcs8 = concatBytes(PKCS8_PREFIX, bytes);
    switch (format) {
      case 'seed-hex':
        return toHex(bytes);
      case 'solana-base58':
        return base58.encode(both);
      case 'solana-json':
        return JSON.stringify([...both]);
      case 'near':
        return `ed25519:${base58.encode(both)}`;
      case 'pkcs8-pem':
        return pem('PRIVATE KEY', pkcs8, 64);
      case 'pkcs8-der':
        return pkcs8;
      case 'openssh':
        return pem('OPENSSH PRIVATE KEY', openssh(bytes, publicKey), 70);
    }
  });
}

function pem(label: string, der: Uint8Array, width: number): string {
  const lines = base64.encode(der).match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** An SSH string (RFC 4251 section 5): length in four bytes, then the bytes. */
function sshString(bytes: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return concatBytes(length, bytes);
}

/** OpenSSH's own container, unencrypted (openssh PROTOCOL.key). The check words are free as long as both are equal. */
function openssh(seed: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const name = sshString(utf8('ssh-ed25519'));
  const none = sshString(utf8('none'));
  const check = publicKey.slice(0, 4);
  const unpadded = concatBytes(
    check,
    check,
    name,
    sshString(publicKey),
    sshString(concatBytes(seed, publicKey)),
    sshString(new Uint8Array()),
  );
  const padding = Uint8Array.from({ length: (8 - (unpadded.length % 8)) % 8 }, (_, i) => i + 1);
  const one = Uint8Array.of(0, 0, 0, 1);
  return concatBytes(
    utf8('openssh-key-v1\0'),
    ...[none, none, sshString(new Uint8Array()), one],
    sshString(concatBytes(name, sshString(publicKey))),
    sshString(concatBytes(unpadded, padding)),
  );
}

/**
 * Reads a key in the form of 64 bytes, seed then public key, as Solana and NEAR wallets write it.
 * @param publicKeyOf derives the public key of a seed
 * @throws YaoError `invalid_length`, `public_key_mismatch`
 */
export function parseKeyPair(pair: Uint8Array, publicKeyOf: (seed: SecretBytes) => Uint8Array): SecretBytes {
  if (pair.length !== 64) {
    throw new YaoError('invalid_length', `a key pair is 64 bytes, seed then public key; this one has ${pair.length}`, {
      party: 'client',
    });
  }
  const seed = SecretBytes.copy(pair.subarray(0, 32));
  if (!equalBytes(publicKeyOf(seed), pair.subarray(32))) {
    seed.wipe();
    throw new YaoError('public_key_mismatch', 'the second half is not the public key of the first; the key was mixed up', {
      party: 'client',
    });
  }
  return seed;
}
