import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { concatBytes, fromHex, SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { formatKey, KEY_FORMATS, parseKeyFormat, parseKeyPair } from '../src/index.ts';

/** RFC 8032 section 7.1, in the forms that other software writes. */
const KEYS = {
  'TEST 1': {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    address: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
    solana: '49W385L4rePHy6PAaQUovbD2aacgN4HsKXSMeUzRg4fmwXszN91JuMFrQRj3vMDpZuRF3ZknQBuRBoWQJEfXstMw',
    bareSeed: 'BbMQkQYZspmkytduTWvXEtc4mMURjsekJDvty2WtKeSb',
    der: 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g',
  },
  'TEST 2': {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    address: '586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5',
    solana: '2Y4QjyJVZf9tTmTPP1SY9ACpFYTo7brW9iCQ8SunQht5yQ2r1U9KsVv5aMsCGnzj3NR8KG9P3NY7FKBiYbbTJ2no',
    bareSeed: '6AoKS5iPKnvmJrknxwLPvHMcMR8jPxQVqT5wbrUnJNQz',
    der: 'MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7',
  },
} as const;

const publicKeyOf = (seed: SecretBytes): Uint8Array => seed.use((bytes) => ed25519.getPublicKey(bytes));
const message = new TextEncoder().encode('signed by an exported key');

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

describe.each(Object.entries(KEYS))('the key of RFC 8032 %s', (_, key) => {
  const seed = SecretBytes.own(fromHex(key.seed));
  const publicKey = fromHex(key.publicKey);
  const pair = concatBytes(fromHex(key.seed), publicKey);
  const text = (format: (typeof KEY_FORMATS)[number]): string => formatKey(format, seed, publicKey) as string;

  test('seed-hex', () => {
    expect(text('seed-hex')).toBe(key.seed);
  });

  test('solana-base58: seed and public key, never the bare seed, which wallets refuse', () => {
    expect(text('solana-base58')).toBe(key.solana);
    expect(base58.encode(publicKey)).toBe(key.address);
    for (const format of KEY_FORMATS) expect(String(formatKey(format, seed, publicKey))).not.toContain(key.bareSeed);
  });

  test('solana-json: 64 numbers', () => {
    const numbers: unknown = JSON.parse(text('solana-json'));
    expect(numbers).toHaveLength(64);
    expect(Uint8Array.from(numbers as number[])).toEqual(pair);
  });

  test('near', () => {
    expect(text('near')).toBe(`ed25519:${key.solana}`);
  });

  test('pkcs8-der: 48 bytes of version 1, imported by node:crypto and WebCrypto', async () => {
    const der = formatKey('pkcs8-der', seed, publicKey) as Uint8Array;
    expect(der).toHaveLength(48);
    expect(Buffer.from(der).toString('base64')).toBe(key.der);
    const imported = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
    expect(createPublicKey(imported).export({ format: 'jwk' }).x).toBe(Buffer.from(publicKey).toString('base64url'));
    const webKey = await crypto.subtle.importKey('pkcs8', Uint8Array.from(der), 'Ed25519', false, ['sign']);
    const signature = await crypto.subtle.sign('Ed25519', webKey, message);
    expect(ed25519.verify(new Uint8Array(signature), message, publicKey)).toBe(true);
  });

  test('pkcs8-pem: what node:crypto and openssl read and write', () => {
    const pem = text('pkcs8-pem');
    expect(pem).toBe(`-----BEGIN PRIVATE KEY-----\n${key.der}\n-----END PRIVATE KEY-----\n`);
    const imported = createPrivateKey(pem);
    expect(imported.export({ format: 'pem', type: 'pkcs8' })).toBe(pem);
    expect(verify(null, message, createPublicKey(imported), sign(null, message, imported))).toBe(true);
    if (!runs('openssl', ['version'])) return;
    const der = execFileSync('openssl', ['pkey', '-pubout', '-outform', 'DER'], { input: pem });
    expect(toHex(new Uint8Array(der.subarray(-32)))).toBe(key.publicKey);
  });

  test('openssh: read field by field, and by ssh-keygen', () => {
    const pem = text('openssh');
    expect(readOpenSsh(pem)).toEqual({ publicKey: key.publicKey, pair: toHex(pair) });
    if (!runs('ssh-keygen', ['-?'])) return;
    const folder = mkdtempSync(path.join(tmpdir(), 'openssh-'));
    const file = path.join(folder, 'key');
    writeFileSync(file, pem, { mode: 0o600 });
    const [kind, blob] = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim().split(' ');
    rmSync(folder, { recursive: true });
    expect(kind).toBe('ssh-ed25519');
    expect(toHex(new Uint8Array(Buffer.from(blob ?? '', 'base64').subarray(-32)))).toBe(key.publicKey);
  });
});

/** By openssh's PROTOCOL.key alone: both copies of the public key, the pair, and the padding 1, 2, 3 … to blocks of 8. */
function readOpenSsh(pem: string): { readonly publicKey: string; readonly pair: string } {
  const [first, ...lines] = pem.trimEnd().split('\n');
  expect([first, lines.pop()]).toEqual(['-----BEGIN OPENSSH PRIVATE KEY-----', '-----END OPENSSH PRIVATE KEY-----']);
  let rest: Buffer = Buffer.from(lines.join(''), 'base64');
  const take = (length: number): Buffer => {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    return taken;
  };
  const string = (): Buffer => take(take(4).readUInt32BE());
  expect(take(15).toString()).toBe('openssh-key-v1\0');
  expect([string(), string(), string()].map(String)).toEqual(['none', 'none', '']);
  expect(take(4).readUInt32BE()).toBe(1);
  const outer = string();
  const inner = string();
  expect([rest.length, inner.length % 8]).toEqual([0, 0]);
  rest = outer;
  expect(string().toString()).toBe('ssh-ed25519');
  const publicKey = string().toString('hex');
  rest = inner;
  expect(take(4)).toEqual(take(4));
  expect([string().toString(), string().toString('hex')]).toEqual(['ssh-ed25519', publicKey]);
  const pair = string().toString('hex');
  expect(string()).toHaveLength(0);
  expect([...rest]).toEqual(Array.from({ length: rest.length }, (_, i) => i + 1));
  return { publicKey, pair };
}

describe('what is imported', () => {
  const pairOf = (seed: string, publicKey: string): Uint8Array => concatBytes(fromHex(seed), fromHex(publicKey));
  const { 'TEST 1': one, 'TEST 2': two } = KEYS;

  test('a true pair gives its seed', () => {
    expect(parseKeyPair(pairOf(one.seed, one.publicKey), publicKeyOf).use(toHex)).toBe(one.seed);
  });

  test('a seed with a foreign public key is refused', () => {
    const refused = expect.objectContaining({ code: 'public_key_mismatch' });
    expect(() => parseKeyPair(pairOf(one.seed, two.publicKey), publicKeyOf)).toThrow(refused);
  });

  test.each([0, 31, 32, 33, 63, 65, 88])('%d bytes are refused, with the number expected', (length) => {
    const refused = expect.objectContaining({ code: 'invalid_length', message: expect.stringContaining('64 bytes') });
    expect(() => parseKeyPair(new Uint8Array(length), publicKeyOf)).toThrow(refused);
  });

  test('base58 text is not its bytes', () => {
    const asText = new TextEncoder().encode(one.solana);
    expect(() => parseKeyPair(asText, publicKeyOf)).toThrow(expect.objectContaining({ code: 'invalid_length' }));
  });
});

test('the list of formats is closed', () => {
  for (const format of KEY_FORMATS) expect(parseKeyFormat(format)).toBe(format);
  for (const unknown of ['', 'pem', 'Solana-base58', 'toString', 'seed-hex ']) {
    expect(() => parseKeyFormat(unknown)).toThrow(expect.objectContaining({ code: 'unknown_format' }));
  }
});
