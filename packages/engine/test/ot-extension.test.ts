import { blake3 } from '@noble/hashes/blake3.js';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { twin } from '../src/garble/twin.ts';
import { bitAt } from '../src/ot/base.ts';
import {
  type ExtensionKeys,
  extendReceiver,
  extendSender,
  extensionBytes,
  maskMessages,
  unmaskMessages,
} from '../src/ot/extension.ts';
import { multiplyAdd } from '../src/ot/gf128.ts';
import { expandSeeds, hashRows } from '../src/ot/streams.ts';
import { transposeColumns } from '../src/ot/transpose.ts';
import { codeOf, engine, flipped, tape } from './fixtures.ts';

/** Base-OT outputs and session keys as a trusted dealer would give them. */
function dealt(name: string) {
  const random = tape(name);
  const keys: ExtensionKeys = {
    columns: SecretBytes.own(random(32)),
    coefficients: SecretBytes.own(random(32)),
    proof: SecretBytes.own(random(32)),
    pads: SecretBytes.own(random(32)),
  };
  const secret = random(16);
  const pairs = random(256 * 16);
  const chosen = new Uint8Array(128 * 16);
  for (let column = 0; column < 128; column++) {
    const at = (2 * column + bitAt(secret, column)) * 16;
    chosen.set(pairs.subarray(at, at + 16), column * 16);
  }
  return { random, keys, secret, pairs, chosen };
}

describe('OT extension', () => {
  it.each([8, 120, 128, 136, 256, 1_000])('transfers the chosen message of each of %i', (count) => {
    const { random, keys, secret, pairs, chosen } = dealt(`count ${count}`);
    const choices = random(count / 8);
    const receiver = extendReceiver(engine, keys, pairs, choices, random(16));
    expect(receiver.message.length).toBe(extensionBytes(count));
    const rows = extendSender(engine, keys, chosen, secret, receiver.message, count);
    const zero = random(count * 16);
    const difference = random(16);
    const masked = maskMessages(engine, keys, rows, secret, zero, difference);
    const received = unmaskMessages(engine, keys, receiver.rows, choices, masked);
    for (let i = 0; i < count; i++) {
      const expected = zero.slice(i * 16, i * 16 + 16).map((byte, k) => byte ^ (difference[k]! & -bitAt(choices, i)));
      expect(toHex(received.subarray(i * 16, i * 16 + 16))).toBe(toHex(expected));
      expect(rows.subarray(i * 16, i * 16 + 16).some((byte, k) => byte !== receiver.rows[i * 16 + k])).toBe(
        bitAt(choices, i) === 1,
      );
    }
  });

  it('sends 6,192 bytes for 256 choices', () => {
    expect(extensionBytes(256)).toBe(128 * 48 + 48);
  });

  it('refuses a bit flipped anywhere, and any other length', () => {
    const { random, keys, secret, pairs, chosen } = dealt('flips');
    const { message } = extendReceiver(engine, keys, pairs, random(32), random(16));
    const attempt = (bytes: Uint8Array) => codeOf(() => extendSender(engine, keys, chosen, secret, bytes, 256));
    expect(attempt(message)).toBe('no error');
    // A flip in a column whose base choice is 0 reaches the sender only through the coefficients.
    for (let bit = 0; bit < message.length * 8; bit += 241) expect(attempt(flipped(message, bit))).toBe('ot_check_failed');
    for (const bytes of [message.subarray(1), Uint8Array.of(...message, 0), new Uint8Array()]) {
      expect(attempt(bytes)).toBe('ot_check_failed');
    }
  });

  it('refuses a receiver who uses two choice vectors, unless he guesses the base choice', () => {
    const { random, keys, secret, pairs, chosen } = dealt('two vectors');
    const choices = random(32);
    const mask = random(16);
    for (let column = 0; column < 16; column++) {
      // Another second seed makes him send another vector in this column, with a check over his own view; it goes unseen only
      // where the sender does not hold that seed.
      const cheated = pairs.slice();
      const at = (2 * column + 1) * 16;
      cheated[at] = cheated[at]! ^ 1;
      const { message } = extendReceiver(engine, keys, cheated, choices, mask);
      const guessedZero = bitAt(secret, column) === 0;
      const outcome = codeOf(() => extendSender(engine, keys, chosen, secret, message, 256));
      expect(outcome).toBe(guessedZero ? 'no error' : 'ot_check_failed');
    }
  });

  it('refuses a message made for another session, pairing or peer', () => {
    const one = dealt('one');
    const two = dealt('two');
    const { message } = extendReceiver(engine, one.keys, one.pairs, one.random(32), one.random(16));
    const attempts: [ExtensionKeys, Uint8Array, Uint8Array][] = [
      [{ ...one.keys, columns: two.keys.columns }, one.chosen, one.secret],
      [{ ...one.keys, coefficients: two.keys.coefficients }, one.chosen, one.secret],
      [{ ...one.keys, proof: two.keys.proof }, one.chosen, one.secret],
      [one.keys, two.chosen, one.secret],
      [one.keys, one.chosen, two.secret],
    ];
    for (const [keys, seeds, secret] of attempts) {
      expect(codeOf(() => extendSender(engine, keys, seeds, secret, message, 256))).toBe('ot_check_failed');
    }
  });

  it('hides the choices behind fresh randomness: equal choices, other message', () => {
    const { random, keys, pairs } = dealt('mask');
    const choices = random(32);
    const [first, second] = [
      extendReceiver(engine, keys, pairs, choices, random(16)),
      extendReceiver(engine, keys, pairs, choices, random(16)),
    ];
    const sum = (message: Uint8Array) => toHex(message.subarray(6_144, 6_160));
    expect(sum(first.message)).not.toBe(sum(second.message));
  });
});

describe('streams', () => {
  const random = tape('streams');
  const key = random(32);

  it.each([16, 48, 64, 144])('expand seeds to %i bytes of keyed BLAKE3', (stride) => {
    const seeds = random(5 * 16);
    const columns = expandSeeds(engine, key, seeds, stride);
    for (let i = 0; i < 5; i++) {
      const expected = blake3(seeds.subarray(16 * i, 16 * i + 16), { key, dkLen: stride });
      expect(toHex(columns.subarray(stride * i, stride * (i + 1)))).toBe(toHex(expected));
    }
  });

  it('hash row i to output block i of keyed BLAKE3', () => {
    const rows = random(9 * 16);
    const pads = hashRows(engine, key, rows);
    for (let i = 0; i < 9; i++) {
      const stream = blake3(rows.subarray(16 * i, 16 * i + 16), { key, dkLen: 64 * i + 16 });
      expect(toHex(pads.subarray(16 * i, 16 * i + 16))).toBe(toHex(stream.subarray(64 * i)));
    }
  });

  it('are the same in the plain TypeScript engine', () => {
    const seeds = random(256 * 16);
    expect(toHex(expandSeeds(twin, key, seeds, 48))).toBe(toHex(expandSeeds(engine, key, seeds, 48)));
    expect(toHex(hashRows(twin, key, seeds))).toBe(toHex(hashRows(engine, key, seeds)));
  });
});

describe('GF(2^128)', () => {
  const product = (left: readonly number[], right: readonly number[]): number[] => {
    const sum = new Uint32Array(4);
    multiplyAdd(sum, 0, Uint32Array.from(left), 0, Uint32Array.from(right), 0);
    return [...sum];
  };
  /** Schoolbook multiplication of polynomials over GF(2) in bigints. */
  const slow = (left: bigint, right: bigint): bigint => {
    let sum = 0n;
    for (let i = 0n; i < 128n; i++) if ((right >> i) & 1n) sum ^= left << i;
    for (let i = 255n; i >= 128n; i--) if ((sum >> i) & 1n) sum ^= ((1n << 128n) | 0x87n) << (i - 128n);
    return sum;
  };
  const toBig = (words: readonly number[]): bigint => words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);

  it('reduces by x^128 + x^7 + x^2 + x + 1', () => {
    expect(product([0, 0, 0, 0x8000_0000], [2, 0, 0, 0])).toEqual([0x87, 0, 0, 0]);
    expect(product([1, 0, 0, 0], [5, 6, 7, 8])).toEqual([5, 6, 7, 8]);
  });

  it('agrees with schoolbook multiplication', () => {
    const random = tape('gf128');
    for (let i = 0; i < 200; i++) {
      const words = [...new Uint32Array(random(32).slice().buffer)];
      const [left, right] = [words.slice(0, 4), words.slice(4)];
      expect(toBig(product(left, right))).toBe(slow(toBig(left), toBig(right)));
    }
  });
});

describe('transpose', () => {
  it('puts column j of row i at bit j of row i', () => {
    const columns = tape('transpose')(128 * 6);
    const rows = transposeColumns(columns, 6, 40);
    for (let row = 0; row < 40; row++) {
      for (let column = 0; column < 128; column++) {
        expect(bitAt(rows, row * 128 + column)).toBe(bitAt(columns, column * 48 + row));
      }
    }
  });
});
