import type { Wallet } from '@streaming-yao/client';
import { nearAccountId, nearSigner } from '@streaming-yao/client/near';
import { actions, buildDelegateAction, encodeDelegateAction, encodeTransaction, PublicKey, Signer } from 'near-api-js';

/** What a relayer needs to know of the chain. */
export interface Chain {
  /** Of the wallet's access key, plus one. */
  readonly nonce: bigint;
  readonly maxBlockHeight: bigint;
}

/**
 * A transfer that somebody else pays the gas for (NEP-366): the wallet signs what is to be done, a relayer sends it along.
 * @returns what the relayer wraps into a transaction of its own, and the hash that was signed
 */
export async function delegateTransfer(wallet: Wallet, receiverId: string, yocto: bigint, { nonce, maxBlockHeight }: Chain) {
  const signer = await nearSigner({ Signer, PublicKey, encodeTransaction, encodeDelegateAction }, wallet);
  const delegateAction = buildDelegateAction({
    senderId: nearAccountId(await wallet.publicKey()),
    receiverId,
    actions: [actions.transfer(yocto)],
    nonce,
    maxBlockHeight,
    publicKey: await signer.getPublicKey(),
  });
  return signer.signDelegateAction(delegateAction);
}
