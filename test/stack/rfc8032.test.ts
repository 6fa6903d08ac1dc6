import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { exportSeed } from '@streaming-yao/ceremony/client';
import { contribution } from '@streaming-yao/ceremony/derivation';
import { formatKey } from '@streaming-yao/client';
import { LaneSigner } from '@streaming-yao/client/signer';
import { fromHex, type SecretBytes, toHex, xorBytes } from '@streaming-yao/core';
import { inputInfo } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import { intentOf, registerKey } from './ceremonies.ts';
import { type Around, secret, TestDevice } from './device.ts';
import { stolenSecret } from './key-folder.ts';
import { sharedStack } from './shared-stack.ts';

interface Case {
  readonly name: string;
  readonly secretKey: string;
  readonly publicKey: string;
  readonly message: string;
}

const file = new URL('../../vectors/ed25519-rfc8032.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly Case[] };

const shared = sharedStack();

/** The seed that a wallet's ceremonies join to. */
async function joinedSeed(device: TestDevice, root: SecretBytes): Promise<Uint8Array> {
  const key = { deployment: device.surroundings.pins.deployment, walletId: device.walletId, keyIndex: 0 };
  using rootA = await stolenSecret(shared.stack, 'deriver-a', 'derivation-root');
  using rootB = await stolenSecret(shared.stack, 'deriver-b', 'derivation-root');
  const parts = [contribution(root, 'client', key), contribution(rootA, 'deriver-a', key), contribution(rootB, 'deriver-b', key)];
  return parts.map((part): Uint8Array => part.use((bytes) => bytes.slice())).reduce(xorBytes);
}

test('all five cases of RFC 8032 section 7.1 are here', () => {
  expect(cases.map(({ name }) => name)).toEqual(['TEST 1', 'TEST 2', 'TEST 3', 'TEST 1024', 'TEST SHA(abc)']);
});

test.each(cases)('$name: the inputs join to the RFC’s seed, and everything is the RFC’s', async (expected) => {
  const device = new TestDevice(shared.stack);
  const root = secret();
  // A contribution comes out of HKDF, which nobody can invert: so what goes to B is shifted by the wanted difference.
  const shift = xorBytes(await joinedSeed(device, root), fromHex(expected.secretKey));
  const around: Around = (effect, perform) => {
    if (effect.kind !== 'seal' || toHex(effect.info) !== toHex(inputInfo('deriver-b'))) return perform(effect);
    return perform({ ...effect, plaintext: effect.plaintext.map((bytes) => xorBytes(bytes, shift)) });
  };

  const { lane } = await registerKey(device, root, around);
  expect(toHex(lane.publicKey)).toBe(expected.publicKey);

  const message = fromHex(expected.message);
  const signer = new LaneSigner(device.surroundings, lane);
  await device.stockUp(signer);
  const { signature } = await device.run(signer.sign(message));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(fromHex(expected.publicKey)).toString('base64url') };
  expect(verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(true);

  const intent = await intentOf(device, 'export', lane.publicKey);
  const { result: seed } = await device.run(exportSeed(device.surroundings, intent, root), around);
  expect(formatKey('seed-hex', seed, lane.publicKey)).toBe(expected.secretKey);
  const pem = formatKey('pkcs8-pem', seed, lane.publicKey) as string;
  expect(createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' }).x).toBe(jwk.x);
});
