import { readFile } from 'node:fs/promises';
import { address, blockhash, getBase64EncodedWireTransaction, getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import { ed25519Credential, memoryStorage, Pins, Wallet } from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { solanaAddress } from '@streaming-yao/client/solana';
import { SecretBytes } from '@streaming-yao/core';
import { memoTransaction } from './solana-transaction.ts';

const [router = '', pinsFile = ''] = process.argv.slice(2);
const pins = Pins.fromJson(JSON.parse(await readFile(pinsFile, 'utf8')));
const group = loadGroup();

const secret = SecretBytes.own(crypto.getRandomValues(new Uint8Array(32)));
const credential = ed25519Credential(group, secret, 'device', 'my first app');
const walletId = `tutorial-${crypto.randomUUID()}`;
const wallet = new Wallet({ router, pins, walletId, storage: memoryStorage(), credential, group });

const { publicKey } = await wallet.register();
const payer = address(solanaAddress(publicKey));
console.log(`address      ${payer}`);
console.log(`derived      ${(await wallet.confirmDerivation()) ? 'twice, to the same key' : 'once only'}`);

const lifetime = { blockhash: blockhash('4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn'), lastValidBlockHeight: 1n };
const transaction = await memoTransaction(wallet, 'hello', lifetime);
console.log(`transaction  ${getBase64EncodedWireTransaction(transaction)}`);

const signature = transaction.signatures[payer];
const key = await getPublicKeyFromAddress(payer);
const valid = signature && (await verifySignature(key, signature, transaction.messageBytes));
console.log(`signature    ${valid ? 'valid, says @solana/kit' : 'NOT valid'}`);
