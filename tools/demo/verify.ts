import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { CeremonyAnswer, Pins } from '@streaming-yao/wire';
import { signedReceiptJson } from '@streaming-yao/wire';
import { flattenedVerify, type GeneralJWS, importJWK } from 'jose';

/** Checks with other people's code only what the demonstration claims: node:crypto and jose. */

export function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' });
}

export function verifiesInNode(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyObject(publicKey), signature);
}

/** The public key that node:crypto derives from an exported PKCS #8 key. */
export function publicKeyOfExport(pem: string): Uint8Array {
  const { x } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' });
  return new Uint8Array(Buffer.from(x ?? '', 'base64url'));
}

/** Whether jose accepts each of a receipt's two signatures by itself, under the key that is pinned for its role. */
export async function receiptVerifies(pins: Pins, { receipt }: CeremonyAnswer): Promise<boolean> {
  const { payload, signatures } = signedReceiptJson.toJson(receipt) as unknown as GeneralJWS & { payload: string };
  const keys = [pins.deriverA, pins.deriverB];
  if (signatures.length !== keys.length) return false;
  for (const [i, key] of keys.entries()) {
    const jwk = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }, 'EdDSA');
    const part = signatures[i];
    if (!part) return false;
    const accepted = await flattenedVerify({ payload, ...part }, jwk).then(
      () => true,
      () => false,
    );
    if (!accepted) return false;
  }
  return true;
}
