import { base58 } from '@scure/base';
import { toHex } from '@streaming-yao/core';
import type { KeyChoice, Wallet } from './wallet.ts';

/** What this adapter uses of `near-api-js`, which the app brings along. */
export interface NearLibrary<Signer extends object, PublicKey> {
  readonly Signer: { readonly prototype: Signer };
  readonly PublicKey: { from(text: string): PublicKey };
}

/**
 * A key of the wallet as the `Signer` that `near-api-js` expects: its own class, with this wallet behind it.
 * ```ts
 * import { Account, PublicKey, Signer } from 'near-api-js';
 * const account = new Account(nearAccountId(publicKey), provider, await nearSigner({ Signer, PublicKey }, wallet));
 * ```
 * @throws YaoError `not_ready` without a lane on this device; the signer's methods as {@link Wallet.sign}
 */
export async function nearSigner<Signer extends object, PublicKey>(
  library: NearLibrary<Signer, PublicKey>,
  wallet: Wallet,
  key: KeyChoice = {},
): Promise<Signer> {
  const publicKey = library.PublicKey.from(`ed25519:${base58.encode(await wallet.publicKey(key))}`);
  const own = {
    getPublicKey: async () => publicKey,
    signBytes: async (bytes: Uint8Array) => (await wallet.sign(bytes, key)).signature,
  };
  return Object.assign(Object.create(library.Signer.prototype) as Signer, own);
}

/** The implicit account of a key: its public key in lower-case hex. */
export const nearAccountId = (publicKey: Uint8Array): string => toHex(publicKey);
