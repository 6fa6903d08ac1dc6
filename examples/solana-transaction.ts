import {
  address,
  appendTransactionMessageInstruction,
  assertIsTransactionWithinSizeLimit,
  type BlockhashLifetimeConstraint,
  createTransactionMessage,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import type { Wallet } from '@streaming-yao/client';
import { solanaSigner } from '@streaming-yao/client/solana';

const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** Writes a line into Solana's ledger, signed and paid for by the wallet: ready to be sent. */
export async function memoTransaction(wallet: Wallet, text: string, lifetime: BlockhashLifetimeConstraint) {
  const signer = await solanaSigner({ address, signatureBytes }, wallet);
  const memo = { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(text) };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(signer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstruction(memo, living),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithinSizeLimit(transaction);
  return transaction;
}
