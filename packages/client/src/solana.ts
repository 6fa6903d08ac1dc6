import { base58 } from '@scure/base';
import type { KeyChoice, Wallet } from './wallet.ts';

/** What this adapter uses of `@solana/kit`, which the app brings along. */
export interface SolanaKit<Address extends string, SignatureBytes extends Uint8Array> {
  address(text: string): Address;
  signatureBytes(bytes: Uint8Array): SignatureBytes;
}

interface SigningConfig {
  readonly abortSignal?: AbortSignal;
}

/** A `MessagePartialSigner` and `TransactionPartialSigner` of `@solana/kit`. */
export interface SolanaSigner<Address extends string, SignatureBytes extends Uint8Array> {
  readonly address: Address;
  signMessages(
    messages: readonly { readonly content: ArrayLike<number> }[],
    config?: SigningConfig,
  ): Promise<readonly Readonly<Record<Address, SignatureBytes>>[]>;
  signTransactions(
    transactions: readonly { readonly messageBytes: ArrayLike<number> }[],
    config?: SigningConfig,
  ): Promise<readonly Readonly<Record<Address, SignatureBytes>>[]>;
}

/**
 * A key of the wallet as the signer that `@solana/kit` expects.
 * ```ts
 * import { address, signatureBytes } from '@solana/kit';
 * const signer = await solanaSigner({ address, signatureBytes }, wallet);
 * ```
 * @throws YaoError `not_ready` without a lane on this device; the signer's methods as {@link Wallet.sign}
 */
export async function solanaSigner<Address extends string, SignatureBytes extends Uint8Array>(
  kit: SolanaKit<Address, SignatureBytes>,
  wallet: Wallet,
  key: KeyChoice = {},
): Promise<SolanaSigner<Address, SignatureBytes>> {
  const address = kit.address(solanaAddress(await wallet.publicKey(key)));
  /** One after the other: each signature brings the commitments for the next. */
  const signAll = async (messages: readonly ArrayLike<number>[], { abortSignal }: SigningConfig = {}) => {
    const signatures: Readonly<Record<Address, SignatureBytes>>[] = [];
    for (const message of messages) {
      abortSignal?.throwIfAborted();
      const { signature } = await wallet.sign(Uint8Array.from(message), key);
      signatures.push(Object.freeze({ [address]: kit.signatureBytes(signature) } as Record<Address, SignatureBytes>));
    }
    return signatures;
  };
  return {
    address,
    signMessages: (messages, config) =>
      signAll(
        messages.map(({ content }) => content),
        config,
      ),
    signTransactions: (transactions, config) =>
      signAll(
        transactions.map(({ messageBytes }) => messageBytes),
        config,
      ),
  };
}

/** The address of a key on Solana: its public key in base58. */
export const solanaAddress = (publicKey: Uint8Array): string => base58.encode(publicKey);
