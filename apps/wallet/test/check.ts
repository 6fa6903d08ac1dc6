import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';

/** SPKI of an Ed25519 key (RFC 8410 section 4) without the key's 32 bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export function publicKeyAt(solanaAddress: string) {
  const der = Buffer.concat([SPKI_PREFIX, base58.decode(solanaAddress)]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

/** Whether an address signed a message, by Node's own Ed25519. */
export function signedBy(solanaAddress: string, message: string, signature: string): boolean {
  return verify(null, Buffer.from(message), publicKeyAt(solanaAddress), base58.decode(signature));
}
