import { createHash, createHmac, randomBytes } from 'node:crypto';
import { concatBytes, SecretBytes, toHex, utf8 } from '@streaming-yao/core';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import { describe, expect, it } from 'vitest';
import { publicHalf } from '../src/config.ts';
import { nativeHashing } from '../src/hashing.ts';
import { EnvelopeKeys, sealEnvelope } from '../src/hpke.ts';
import { random } from '../src/random.ts';
import { createSealer } from '../src/sealer.ts';

const secretOf = (text: string) => SecretBytes.own(utf8(text));
const newSecret = () => SecretBytes.own(Uint8Array.from(randomBytes(32)));
const textOf = (secret: SecretBytes) => secret.use((bytes) => new TextDecoder().decode(bytes));

function eachBitFlipped(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from(bytes, (_, i) => bytes.map((byte, j) => (i === j ? byte ^ 0x10 : byte)));
}

describe('a sealer', () => {
  const sealer = createSealer(newSecret());
  const aad = utf8('wallet, key, lane, epoch');

  it('opens what it sealed, also nothing at all', () => {
    expect(textOf(sealer.open(aad, sealer.seal(aad, secretOf('a share'))))).toBe('a share');
    expect(sealer.open(aad, sealer.seal(aad, secretOf(''))).length).toBe(0);
  });

  it('never seals the same twice', () => {
    const sealed = Array.from({ length: 100 }, () => toHex(sealer.seal(aad, secretOf('a share')).subarray(0, 12)));
    expect(new Set(sealed).size).toBe(100);
  });

  it('refuses what was changed anywhere, cut, moved or sealed under another key', () => {
    const sealed = sealer.seal(aad, secretOf('a share'));
    const refused = { code: 'internal' };
    for (const changed of eachBitFlipped(sealed))
      expect(() => sealer.open(aad, changed)).toThrow(expect.objectContaining(refused));
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open(aad, sealed.subarray(0, length))).toThrow(expect.objectContaining(refused));
    }
    expect(() => sealer.open(utf8('another place'), sealed)).toThrow(expect.objectContaining(refused));
    expect(() => createSealer(newSecret()).open(aad, sealed)).toThrow(expect.objectContaining(refused));
  });
});

describe('an envelope', () => {
  const privateKey = newSecret();
  const publicKey = publicHalf('x25519', privateKey);
  const keys = new EnvelopeKeys(new Map([['own', { privateKey, publicKey }]]));
  const info = utf8('info');
  const aad = utf8('core');
  const rejected = { code: 'envelope_rejected' };

  it('is opened by the key it was sealed to', async () => {
    const envelope = await sealEnvelope(publicKey, info, aad, secretOf('an input'));
    expect(envelope.length).toBe(32 + 'an input'.length + 16);
    expect(textOf(await keys.open('own', info, aad, envelope))).toBe('an input');
  });

  it('is RFC 9180 base mode, as the library itself seals it', async () => {
    const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
    const recipient = await suite.DeserializePublicKey(publicKey);
    const { encapsulatedSecret, ciphertext } = await suite.Seal(recipient, utf8('an input'), { info, aad });
    expect(textOf(await keys.open('own', info, aad, concatBytes(encapsulatedSecret, ciphertext)))).toBe('an input');
  });

  it('is rejected when changed anywhere, cut, or meant for something else', async () => {
    const envelope = await sealEnvelope(publicKey, info, aad, secretOf('an input'));
    for (const changed of eachBitFlipped(envelope))
      await expect(keys.open('own', info, aad, changed)).rejects.toMatchObject(rejected);
    for (const length of [0, 31, 32, 33, 48, envelope.length - 1]) {
      await expect(keys.open('own', info, aad, envelope.subarray(0, length))).rejects.toMatchObject(rejected);
    }
    await expect(keys.open('own', utf8('other'), aad, envelope)).rejects.toMatchObject(rejected);
    await expect(keys.open('own', info, utf8('other'), envelope)).rejects.toMatchObject(rejected);
    await expect(keys.open('unknown', info, aad, envelope)).rejects.toMatchObject(rejected);
    const other = new EnvelopeKeys(new Map([['own', { privateKey: newSecret(), publicKey }]]));
    await expect(other.open('own', info, aad, envelope)).rejects.toMatchObject(rejected);
  });

  it('is not sealed to a malformed key', async () => {
    await expect(sealEnvelope(new Uint8Array(31), info, aad, secretOf('x'))).rejects.toMatchObject({ code: 'invalid_point' });
  });
});

describe('native hashing', () => {
  it.each([70, 252, 253, 254, 65_513])('hashes its parts as one, of %d bytes and 3', (length) => {
    const [a, b, key] = [randomBytes(length), randomBytes(3), randomBytes(32)].map((bytes) => Uint8Array.from(bytes)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const whole = concatBytes(a, b);
    expect(toHex(nativeHashing.sha256(a, b))).toBe(createHash('sha256').update(whole).digest('hex'));
    expect(toHex(nativeHashing.hmacSha256(key, a, b))).toBe(createHmac('sha256', key).update(whole).digest('hex'));
    expect(nativeHashing.sha256().constructor).toBe(Uint8Array);
  });
});

describe('random', () => {
  it('fills every length, also beyond what the platform gives at a time', () => {
    for (const length of [0, 1, 65_536, 65_537, 200_000]) {
      const bytes = random(length);
      expect(bytes.length).toBe(length);
      if (length > 1) expect(bytes.subarray(-1_000).some((byte) => byte !== 0)).toBe(true);
    }
  });
});
