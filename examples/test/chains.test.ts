import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { address, blockhash, getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import { ed25519Credential, memoryStorage, Wallet } from '@streaming-yao/client';
import { nearAccountId } from '@streaming-yao/client/near';
import { loadGroup } from '@streaming-yao/client/node';
import { solanaAddress } from '@streaming-yao/client/solana';
import { fromHex, SecretBytes, toHex, utf8 } from '@streaming-yao/core';
import { actions, createTransaction, encodeDelegateAction, encodeTransaction, PublicKey, Transaction } from 'near-api-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../../tools/stack.ts';
import { delegateTransfer } from '../near-delegate-action.ts';
import { memoTransaction } from '../solana-transaction.ts';

let folder: string;
let stack: Stack;
let wallet: Wallet;
let publicKey: Uint8Array;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'examples-'));
  stack = await startStack({ folder, endOnSignal: false });
  const credential = ed25519Credential(
    loadGroup(),
    SecretBytes.own(crypto.getRandomValues(new Uint8Array(32))),
    'device',
    'test',
  );
  const { routerUrl: router, pins } = stack;
  const given = { router, pins, walletId: 'chains', storage: memoryStorage(), credential, group: loadGroup() };
  wallet = new Wallet({ ...given, secondDerivation: false, prefetch: true });
  ({ publicKey } = await wallet.register());
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the quick start registers, signs and recovers, as the client’s README shows it', async () => {
  const program = path.join(import.meta.dirname, '../quick-start.ts');
  const readme = await readFile(path.join(import.meta.dirname, '../../packages/client/README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(program, 'utf8')}\`\`\`\n`);
  const pinsFile = path.join(folder, 'keys/pins.json');
  const { stdout } = await promisify(execFile)(process.execPath, [program, stack.routerUrl, pinsFile]);
  const [, key = '', signature = '', recovered] =
    /^public key ([0-9a-f]{64})\nsignature {2}([0-9a-f]{128})\nrecovered {2}([0-9a-f]{64})\n$/.exec(stdout) ?? [];
  expect(ed25519.verify(fromHex(signature), utf8('hello'), fromHex(key))).toBe(true);
  expect(recovered).toBe(key);
});

test('NEAR: a delegate action is signed as NEP-461 says, and near-api-js verifies it', async () => {
  const { delegateHash, signedDelegate } = await delegateTransfer(wallet, 'bo.near', 7n, { nonce: 3n, maxBlockHeight: 1_000n });
  const { delegateAction, signature } = signedDelegate;
  expect(delegateAction.senderId).toBe(nearAccountId(publicKey));
  const encoded = encodeDelegateAction(delegateAction);
  expect(new DataView(encoded.buffer, encoded.byteOffset).getUint32(0, true)).toBe(2 ** 30 + 366);
  expect(toHex(delegateHash)).toBe(createHash('sha256').update(encoded).digest('hex'));
  const signed = signature.ed25519Signature?.data;
  expect(signed && delegateAction.publicKey.verify(delegateHash, Uint8Array.from(signed))).toBe(true);
  expect(signed && ed25519.verify(Uint8Array.from(signed), delegateHash, publicKey)).toBe(true);
});

test('NEAR: a relayer sends it along unchanged in a transaction of its own', async () => {
  const { delegateHash, signedDelegate } = await delegateTransfer(wallet, 'bo.near', 8n, { nonce: 4n, maxBlockHeight: 1_000n });
  const relayer = PublicKey.from(`ed25519:${solanaAddress(ed25519.getPublicKey(new Uint8Array(32).fill(1)))}`);
  const sent = encodeTransaction(
    createTransaction(
      'relayer.near',
      relayer,
      nearAccountId(publicKey),
      1n,
      [actions.signedDelegate(signedDelegate)],
      new Uint8Array(32),
    ),
  );
  const arrived = Transaction.decode(sent).actions[0]?.signedDelegate;
  if (!arrived) throw new Error('no delegate action arrived');
  const key = signedDelegate.delegateAction.publicKey;
  const hash = createHash('sha256').update(encodeDelegateAction(arrived.delegateAction)).digest();
  expect(toHex(hash)).toBe(toHex(delegateHash));
  const signed = Uint8Array.from(arrived.signature.ed25519Signature?.data ?? []);
  expect(key.verify(hash, signed)).toBe(true);
  arrived.delegateAction.nonce = 5n;
  const other = createHash('sha256').update(encodeDelegateAction(arrived.delegateAction)).digest();
  expect(key.verify(other, signed)).toBe(false);
});

test('Solana: a transaction is signed, and @solana/kit verifies it', async () => {
  const lifetime = { blockhash: blockhash('4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn'), lastValidBlockHeight: 1n };
  const { messageBytes, signatures } = await memoTransaction(wallet, 'hello', lifetime);
  const payer = address(solanaAddress(publicKey));
  const signature = signatures[payer];
  const key = await getPublicKeyFromAddress(payer);
  expect(signature && (await verifySignature(key, signature, messageBytes))).toBe(true);
  const changed = Uint8Array.from(messageBytes, (byte, i) => (i === messageBytes.length - 1 ? byte ^ 1 : byte));
  expect(signature && (await verifySignature(key, signature, changed))).toBe(false);
});
