import { sha512 } from '@noble/hashes/sha2.js';
import { fromHex, toHex, xorBytes } from '@streaming-yao/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CHOICES_BYTES,
  CIRCUIT_IDS,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  PADS_BYTES,
  TABLE_BYTES,
} from '../src/index.ts';
import { ED25519_ORDER, littleEndianToNumber } from '../src/share/modulus.ts';
import { pairings, tape } from './fixtures.ts';
import { FRAME_BYTES, number, open, run, tables } from './two-parties.ts';

/** a = clamp(SHA-512(seed)[0..32]) mod L (RFC 8032 section 5.1.5). */
function scalarOf(seed: Uint8Array): bigint {
  const digest = sha512(seed).subarray(0, 32);
  digest[0] = digest[0]! & 0xf8;
  digest[31] = (digest[31]! & 0x7f) | 0x40;
  return littleEndianToNumber(digest) % ED25519_ORDER;
}

const RFC_8032_SEEDS = {
  'TEST 1': '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'TEST 2': '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  'TEST 3': 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  'TEST 1024': 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
  'TEST SHA(abc)': '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
};

describe('a session', () => {
  it.each(Object.entries(RFC_8032_SEEDS))('shares the scalar and the seed of RFC 8032 %s', (name, hex) => {
    const seed = fromHex(hex);
    const { garbling, evaluating } = run({ name, seed });
    expect(evaluating.complete).toBe(true);
    const outputs = garbling.projectOutputs();
    const inputs = garbling.projectInputs();
    expect(outputs.ciphertexts.length).toBe(OUTPUT_CIPHERTEXT_BYTES);
    expect(inputs.ciphertexts.length).toBe(INPUT_CIPHERTEXT_BYTES);
    const alpha = number(outputs.share);
    const beta = number(evaluating.outputShare(outputs.ciphertexts));
    expect((alpha + beta) % ED25519_ORDER).toBe(scalarOf(seed));
    expect(alpha < ED25519_ORDER && beta < ED25519_ORDER).toBe(true);
    const sum = number(inputs.share) + number(evaluating.inputShare(inputs.ciphertexts));
    expect(sum % ED25519_ORDER).toBe(littleEndianToNumber(seed) % ED25519_ORDER);
  });

  it('exports the seed as XOR shares, without a table', () => {
    const seed = fromHex(RFC_8032_SEEDS['TEST 1']);
    const { garbling, evaluating, frames, garblerInput } = run({ name: 'export', circuit: 'export', seed });
    expect(frames).toEqual([]);
    expect(evaluating.complete).toBe(true);
    const [own, peer] = [garbling.inputColours(), evaluating.inputColours()].map((share) => share.use((bytes) => bytes.slice()));
    expect(toHex(xorBytes(own!, peer!))).toBe(toHex(seed));
    expect(toHex(own!)).not.toBe(toHex(garblerInput));
    const { ciphertexts, share } = garbling.projectInputs();
    expect((number(share) + number(evaluating.inputShare(ciphertexts))) % ED25519_ORDER).toBe(
      littleEndianToNumber(seed) % ED25519_ORDER,
    );
  });

  it('gives other shares, tables and keys every time, for one seed', () => {
    const seed = fromHex(RFC_8032_SEEDS['TEST 2']);
    const runs = ['once', 'twice'].map((name, counter) => run({ name, seed, counter }));
    const shares = runs.map(({ garbling }) => number(garbling.projectOutputs().share));
    expect(shares[0]).not.toBe(shares[1]);
    expect(toHex(runs[0]!.frames[0]!)).not.toBe(toHex(runs[1]!.frames[0]!));
  });

  it('announces exact sizes', () => {
    const { evaluating, pads, frames } = run({ name: 'sizes' });
    expect(evaluating.choices.length).toBe(CHOICES_BYTES);
    expect(CHOICES_BYTES).toBe(6_192);
    expect(pads.length).toBe(PADS_BYTES);
    expect(PADS_BYTES).toBe(8_192);
    expect([OUTPUT_CIPHERTEXT_BYTES, INPUT_CIPHERTEXT_BYTES]).toEqual([8_032, 8_192]);
    expect(frames.reduce((sum, frame) => sum + frame.length, 0)).toBe(TABLE_BYTES.activation);
    expect(TABLE_BYTES.export).toBe(0);
    expect(Object.values(CIRCUIT_IDS).map((id) => id.length)).toEqual([32, 32]);
  });

  it('takes the choices at any time: before, between and after the tables', () => {
    const { garbling, evaluating, evaluatorNonce, seed } = open({ name: 'late choices' });
    const early = new Uint8Array(FRAME_BYTES);
    const length = garbling.nextTables(early);
    const pads = garbling.acceptChoices(evaluatorNonce, evaluating.choices);
    const rest = tables(garbling);
    evaluating.acceptPads(pads);
    for (const frame of [early.subarray(0, length), ...rest]) evaluating.acceptTables(frame);
    const { ciphertexts, share } = garbling.projectOutputs();
    expect((number(share) + number(evaluating.outputShare(ciphertexts))) % ED25519_ORDER).toBe(scalarOf(seed));
  });

  it('runs beside another one without mixing', () => {
    const pair = pairings();
    const sessions = ['left', 'right'].map((name, counter) => open({ name, pair, counter }));
    for (const { garbling, evaluating, evaluatorNonce } of sessions) {
      evaluating.acceptPads(garbling.acceptChoices(evaluatorNonce, evaluating.choices));
    }
    const frame = new Uint8Array(FRAME_BYTES);
    while (sessions.some(({ evaluating }) => !evaluating.complete)) {
      for (const { garbling, evaluating } of sessions) evaluating.acceptTables(frame.subarray(0, garbling.nextTables(frame)));
    }
    for (const { garbling, evaluating, seed } of sessions) {
      const { ciphertexts, share } = garbling.projectOutputs();
      expect((number(share) + number(evaluating.outputShare(ciphertexts))) % ED25519_ORDER).toBe(scalarOf(seed));
    }
  });
});

/** Those of `secrets` (16 bytes each) that occur anywhere in `sent`, one look at each position. */
function found(sent: Buffer, secrets: readonly Uint8Array[]): readonly Uint8Array[] {
  const sought = new Map(secrets.map((secret) => [Buffer.from(secret).readUInt32LE(), Buffer.from(secret)]));
  const seen: Uint8Array[] = [];
  for (let at = 0; at + 16 <= sent.length; at++) {
    const secret = sought.get(sent.readUInt32LE(at));
    if (secret && sent.subarray(at, at + 16).equals(secret)) seen.push(Uint8Array.from(secret));
  }
  return seen;
}

/** Two places in `sent`, whatever they are, where 16 bytes differ by `delta`: what both labels of one wire under one mask would be. */
function pairsApartBy(delta: Uint8Array, sent: Buffer): readonly (readonly [number, number])[] {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.length);
  const begin = (at: number): number => view.getUint32(at, true) & 0xff_ffff;
  // Nearly all places are ruled out by three bytes.
  const begins = new Uint8Array(2 ** 24);
  for (let at = 0; at + 16 <= sent.length; at++) begins[begin(at)] = 1;
  const apart = Buffer.from(delta).readUIntLE(0, 3);
  const candidates: number[] = [];
  for (let at = 0; at + 16 <= sent.length; at++) if (begins[begin(at) ^ apart]) candidates.push(at);
  const word = (at: number): string => sent.toString('latin1', at, at + 16);
  const known = new Map(candidates.map((at) => [word(at), at]));
  return candidates.flatMap((at) => {
    const other = known.get(Buffer.from(xorBytes(sent.subarray(at, at + 16), delta)).toString('latin1'));
    return other !== undefined && at < other ? [[at, other] as const] : [];
  });
}

describe('what the garbler sends', () => {
  const name = 'leak search';
  const random = tape(`session ${name}`);
  random(5 * 32);
  const delta = random(16);
  delta[0] = delta[0]! | 1;
  const zero = random(4_096);
  const labels = Array.from({ length: 256 }, (_, i) => zero.slice(16 * i, 16 * i + 16));
  let sent: Buffer;
  beforeAll(() => {
    const { pads, frames, garbling } = run({ name });
    sent = Buffer.concat([pads, ...frames, garbling.projectOutputs().ciphertexts, garbling.projectInputs().ciphertexts]);
  });

  it('never holds delta or a label, and the search would see them', () => {
    const secrets = [delta, ...labels, ...labels.map((label) => xorBytes(label, delta))];
    expect(found(sent, secrets)).toEqual([]);
    for (const planted of [delta, secrets[101]!, secrets[300]!]) {
      const tampered = Buffer.from(sent);
      tampered.set(planted, 1_000_003);
      expect(found(tampered, secrets)).toEqual([planted]);
    }
  });

  it('never holds two blocks that differ by delta, and the search would see them', () => {
    expect(pairsApartBy(delta, sent)).toEqual([]);
    const masked = sent.subarray(700_001, 700_017);
    const tampered = Buffer.from(sent);
    tampered.set(xorBytes(masked, delta), 1_000_003);
    expect(pairsApartBy(delta, tampered)).toEqual([[700_001, 1_000_003]]);
  });

  it('was searched for what the session really drew', () => {
    const drawn: number[] = [];
    const random = tape('session leak search');
    const recording = (length: number): Uint8Array => {
      drawn.push(length);
      return random(length);
    };
    open({ name: 'leak search', random: recording });
    expect(drawn).toEqual([32, 32, 32, 32, 32, 16, 4_096, 16]);
  });
});
