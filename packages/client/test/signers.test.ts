import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  address,
  appendTransactionMessageInstruction,
  assertIsMessagePartialSigner,
  assertIsTransactionPartialSigner,
  assertIsTransactionWithinSizeLimit,
  blockhash,
  createSignableMessage,
  createTransactionMessage,
  getPublicKeyFromAddress,
  type MessagePartialSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signatureBytes,
  signTransactionMessageWithSigners,
  type TransactionPartialSigner,
  verifySignature,
} from '@solana/kit';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import {
  Account,
  actions,
  createTransaction,
  encodeDelegateAction,
  encodeTransaction,
  JsonRpcProvider,
  PublicKey,
  SignedTransaction,
  Signer,
} from 'near-api-js';
import { verifyMessage } from 'near-api-js/nep413';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../../tools/stack.ts';
import { ed25519Credential, memoryStorage, Wallet, type WalletEvent } from '../src/index.ts';
import { nearAccountId, nearSigner } from '../src/near.ts';
import { loadGroup } from '../src/node.ts';
import { solanaAddress, solanaSigner } from '../src/solana.ts';

const near = { Signer, PublicKey, encodeTransaction, encodeDelegateAction };

let folder: string;
let stack: Stack;
let wallet: Wallet;
let publicKey: Uint8Array;
const events: WalletEvent[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'signers-'));
  stack = await startStack({ folder, endOnSignal: false });
  const credential = ed25519Credential(loadGroup(), SecretBytes.own(new Uint8Array(32).fill(3)), 'device', 'test');
  const { routerUrl: router, pins } = stack;
  const onEvent = (event: WalletEvent): void => void events.push(event);
  const given = { router, pins, walletId: 'signer', storage: memoryStorage(), credential, group: loadGroup() };
  wallet = new Wallet({ ...given, onEvent });
  ({ publicKey } = await wallet.register());
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('@solana/kit', () => {
  const signer = async (): Promise<MessagePartialSigner & TransactionPartialSigner> =>
    solanaSigner({ address, signatureBytes }, wallet);

  test('takes the wallet for a signer of messages, and verifies what it signs', async () => {
    const own = await signer();
    assertIsMessagePartialSigner(own);
    expect(own.address).toBe(solanaAddress(publicKey));
    const messages = [createSignableMessage('one'), createSignableMessage('two')];
    const signed = await own.signMessages(messages);
    const key = await getPublicKeyFromAddress(own.address);
    for (const [i, { content }] of messages.entries()) {
      const signature = signed[i]?.[own.address];
      expect(signature && (await verifySignature(key, signature, content))).toBe(true);
    }
    expect(new Set(signed.map((each) => String(each[own.address]))).size).toBe(2);
  });

  test('has it sign and pay for a transaction', async () => {
    const own = await signer();
    assertIsTransactionPartialSigner(own);
    const memo = { programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), data: new Uint8Array([104, 105]) };
    const lifetime = { blockhash: blockhash('4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn'), lastValidBlockHeight: 1n };
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(own, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
        (message) => appendTransactionMessageInstruction(memo, message),
      ),
    );
    assertIsTransactionWithinSizeLimit(transaction);
    const signature = transaction.signatures[own.address];
    expect(ed25519.verify(Uint8Array.from(signature ?? []), Uint8Array.from(transaction.messageBytes), publicKey)).toBe(true);
  });

  test('can break off', async () => {
    const own = await signer();
    const config = { abortSignal: AbortSignal.abort(new Error('no longer wanted')) };
    await expect(own.signMessages([createSignableMessage('one')], config)).rejects.toThrow('no longer wanted');
  });
});

/** Knows every key as a full one. */
class LocalChain extends JsonRpcProvider {
  constructor() {
    super({ url: 'http://127.0.0.1:1' });
  }

  override async viewAccessKey() {
    return { nonce: 1n, permission: 'FullAccess', block_hash: '', block_height: 1 } as const;
  }
}

describe('near-api-js', () => {
  test('takes the wallet for its signer, and has it sign a transaction', async () => {
    const signer = await nearSigner(near, wallet);
    expect(signer).toBeInstanceOf(Signer);
    const accountId = nearAccountId(publicKey);
    const key = await signer.getPublicKey();
    const transaction = createTransaction(
      accountId,
      key,
      'receiver.near',
      1n,
      [actions.transfer(1n)],
      new Uint8Array(32).fill(9),
    );
    const { txHash, signedTransaction } = await signer.signTransaction(transaction);
    const decoded = SignedTransaction.decode(signedTransaction.encode());
    expect(decoded.transaction.signerId).toBe(accountId);
    expect(decoded.signature.ed25519Signature?.data).toHaveLength(64);
    expect(key.verify(txHash, signedTransaction.signature.data)).toBe(true);
    expect(key.verify(new Uint8Array(32), signedTransaction.signature.data)).toBe(false);
  });

  test('has its account sign a message by NEP-413', async () => {
    const account = new Account(nearAccountId(publicKey), 'http://127.0.0.1:1', await nearSigner(near, wallet));
    const message = { message: 'log me in', recipient: 'app.near', nonce: new Uint8Array(32).fill(7) };
    const signed = await account.signNep413Message(message);
    expect(signed.publicKey.toString()).toBe(`ed25519:${solanaAddress(publicKey)}`);
    const check = { signerAccountId: nearAccountId(publicKey), signerPublicKey: signed.publicKey, provider: new LocalChain() };
    await expect(verifyMessage({ ...check, payload: message, signature: signed.signature })).resolves.toBeUndefined();
    const other = { ...message, message: 'pay' };
    await expect(verifyMessage({ ...check, payload: other, signature: signed.signature })).rejects.toThrow('verification failed');
  });
});

test('without a lane there is no signer', async () => {
  await expect(solanaSigner({ address, signatureBytes }, wallet, { keyIndex: 9 })).rejects.toBeInstanceOf(YaoError);
  await expect(nearSigner(near, wallet, { keyIndex: 9 })).rejects.toMatchObject({ code: 'not_ready' });
});

test('an app hears how a registration proceeds, and its own faults disturb nothing', async () => {
  const course = events.filter((event) => event.kind !== 'request').map(({ kind, state }) => `${kind} ${state}`);
  expect(course.slice(0, 4)).toEqual(['operation started', 'approval started', 'approval succeeded', 'operation succeeded']);
  const paths = events.flatMap((event) => (event.kind === 'request' && event.state === 'started' ? [event.path] : []));
  expect(paths.slice(0, 3)).toEqual(['/.well-known/streaming-yao', '/v1/ceremonies', '/v1/roots']);
  const loud = new Wallet({
    ...{ router: stack.routerUrl, pins: stack.pins, walletId: 'loud', storage: memoryStorage(), group: loadGroup() },
    credential: ed25519Credential(loadGroup(), SecretBytes.own(new Uint8Array(32).fill(4)), 'device', 'test'),
    onEvent: (event) => {
      events.push(event);
      throw new Error('the app’s own');
    },
  });
  const before = events.length;
  await expect(loud.refresh()).rejects.toMatchObject({ code: 'not_ready' });
  expect(events.slice(before)).toMatchObject([
    { kind: 'operation', operation: 'refresh', keyIndex: 0, state: 'started' },
    { kind: 'operation', operation: 'refresh', keyIndex: 0, state: 'failed', code: 'not_ready' },
  ]);
});
