import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { concatBytes, toHex, utf8 } from '@streaming-yao/core';
import type { KeyChoice, Wallet } from './wallet.ts';

/** What this adapter uses of `near-api-js`, which the app brings along. */
export interface NearLibrary<Signer extends NearSigner<Transaction, DelegateAction>, PublicKey, Transaction, DelegateAction> {
  readonly Signer: { readonly prototype: Signer };
  readonly PublicKey: { from(text: string): PublicKey };
  encodeTransaction(transaction: Transaction): Uint8Array;
  encodeDelegateAction(delegateAction: DelegateAction): Uint8Array;
}

interface NearSigner<Transaction, DelegateAction> {
  signTransaction(transaction: Transaction): Promise<unknown>;
  signDelegateAction(delegateAction: DelegateAction): Promise<unknown>;
  signNep413Message(accountId: string, message: Nep413Message): Promise<unknown>;
}

interface Nep413Message {
  readonly message: string;
  readonly nonce: Uint8Array;
  readonly recipient: string;
  readonly callbackUrl?: string;
}

/**
 * A key of the wallet as the `Signer` that `near-api-js` expects: its own class, with this wallet behind it. NEAR signs digests; what is
 * hashed goes along, so that the SigningWorker sees what it signs.
 * ```ts
 * import { Account, encodeDelegateAction, encodeTransaction, PublicKey, Signer } from 'near-api-js';
 * const signer = await nearSigner({ Signer, PublicKey, encodeTransaction, encodeDelegateAction }, wallet);
 * const account = new Account(nearAccountId(publicKey), provider, signer);
 * ```
 * @throws YaoError `not_ready` without a lane on this device; the signer's methods as {@link Wallet.sign}
 */
export async function nearSigner<Signer extends NearSigner<Transaction, DelegateAction>, PublicKey, Transaction, DelegateAction>(
  library: NearLibrary<Signer, PublicKey, Transaction, DelegateAction>,
  wallet: Wallet,
  key: KeyChoice = {},
): Promise<Signer> {
  const { prototype } = library.Signer;
  const publicKey = library.PublicKey.from(`ed25519:${base58.encode(await wallet.publicKey(key))}`);
  /** The library's own method, whose digest is known beforehand. */
  const known = <T>(preimage: Uint8Array, sign: (signer: Signer) => Promise<T>): Promise<T> => {
    const digest = toHex(sha256(preimage));
    const signBytes = async (bytes: Uint8Array) =>
      (await wallet.sign(bytes, { ...key, ...(toHex(bytes) === digest && { preimage }) })).signature;
    return sign(Object.assign(Object.create(signer) as Signer, { signBytes }));
  };
  const own = {
    getPublicKey: async () => publicKey,
    signBytes: async (bytes: Uint8Array) => (await wallet.sign(bytes, key)).signature,
    signTransaction: (transaction: Transaction) =>
      known(library.encodeTransaction(transaction), (signer) => prototype.signTransaction.call(signer, transaction)),
    signDelegateAction: (delegateAction: DelegateAction) =>
      known(library.encodeDelegateAction(delegateAction), (signer) => prototype.signDelegateAction.call(signer, delegateAction)),
    signNep413Message: (accountId: string, message: Nep413Message) =>
      known(encodeNep413(message), (signer) => prototype.signNep413Message.call(signer, accountId, message)),
  };
  const signer: Signer = Object.assign(Object.create(prototype) as Signer, own);
  return signer;
}

/** What NEP-413 has hashed: a prefix, then Borsh. */
function encodeNep413({ message, nonce, recipient, callbackUrl }: Nep413Message): Uint8Array {
  const callback = callbackUrl === undefined ? [Uint8Array.of(0)] : [Uint8Array.of(1), borshText(callbackUrl)];
  return concatBytes(borshLength(2 ** 31 + 413), borshText(message), Uint8Array.from(nonce), borshText(recipient), ...callback);
}

function borshText(text: string): Uint8Array {
  const bytes = utf8(text);
  return concatBytes(borshLength(bytes.length), bytes);
}

function borshLength(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** The implicit account of a key: its public key in lower-case hex. */
export const nearAccountId = (publicKey: Uint8Array): string => toHex(publicKey);
