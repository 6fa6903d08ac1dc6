import { readFile } from 'node:fs/promises';
import { createRecoveryPhrase, ed25519Credential, memoryStorage, Pins, recoveryCredential, Wallet } from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { SecretBytes, toHex } from '@streaming-yao/core';

const [router = '', pinsFile = ''] = process.argv.slice(2);
const pins = Pins.fromJson(JSON.parse(await readFile(pinsFile, 'utf8')));
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const place = { router, pins, walletId: `quick-start-${Date.now()}`, group: loadGroup() };

const credential = ed25519Credential(place.group, SecretBytes.own(random(32)), 'device', 'my laptop');
const wallet = new Wallet({ ...place, storage: memoryStorage(), credential });
const recovery = recoveryCredential(place.group, createRecoveryPhrase(random));
const { publicKey } = await wallet.register({ recovery: [recovery] });
const { signature } = await wallet.sign(new TextEncoder().encode('hello'));
console.log(`public key ${toHex(publicKey)}\nsignature  ${toHex(signature)}`);

const newLaptop = new Wallet({ ...place, storage: memoryStorage(), credential: recovery });
const recovered = await newLaptop.recover();
console.log(`recovered  ${toHex(recovered.publicKey)}`);
