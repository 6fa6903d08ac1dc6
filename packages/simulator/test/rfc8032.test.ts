import { readFileSync } from 'node:fs';
import type { Effect } from '@streaming-yao/ceremony/program';
import { fromHex, SecretBytes, toHex, xorBytes } from '@streaming-yao/core';
import { inputInfo } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import type { Actor } from '../src/actor.ts';
import { derivedSecrets } from '../src/derivation.ts';
import { exportKey, openScene, pairedBeginning, register, sign } from '../src/index.ts';
import { verifySignature } from '../src/signatures.ts';

interface Case {
  readonly name: string;
  readonly secretKey: string;
  readonly publicKey: string;
  readonly message: string;
}

const file = new URL('../../../vectors/ed25519-rfc8032.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly Case[] };

test('all five cases of RFC 8032 section 7.1 are here', () => {
  expect(cases.map(({ name }) => name)).toEqual(['TEST 1', 'TEST 2', 'TEST 3', 'TEST 1024', 'TEST SHA(abc)']);
});

test.each(cases)('$name: the join of the inputs is the RFC’s seed', async ({ name, secretKey: seed, publicKey, message }) => {
  // Roots go through HKDF, which nobody can invert; so the client's device seals another contribution than its root's.
  let shift = new Uint8Array(32);
  const amend = (actor: Actor, effect: Effect): Effect =>
    actor.role === 'client' && effect.kind === 'seal' && toHex(effect.info) === toHex(inputInfo('deriver-b'))
      ? { ...effect, plaintext: SecretBytes.own(effect.plaintext.use((bytes) => xorBytes(bytes, shift))) }
      : effect;
  const { run, surroundings, wallet, deployment } = openScene(name, { beginning: await pairedBeginning(), amend });
  shift = Uint8Array.from(xorBytes(derivedSecrets(deployment, wallet.device.root, wallet.walletId).seed, fromHex(seed)));

  const { result: lane } = await run('register', register(surroundings, wallet));
  expect(toHex(lane.publicKey)).toBe(publicKey);
  const signature = await run('sign', sign(surroundings, lane, fromHex(message)));
  expect(verifySignature('ed25519', fromHex(publicKey), fromHex(message), signature)).toBe(true);
  const { result: exported } = await run('export', exportKey(surroundings, wallet));
  expect(exported.use(toHex)).toBe(seed);
});
