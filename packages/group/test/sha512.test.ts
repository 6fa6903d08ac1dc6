import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, toHex, utf8 } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { loadGroup } from '../src/node.ts';
import { random } from './fixtures.ts';

const group = loadGroup();

describe('SHA-512', () => {
  it('gives the answer of FIPS 180-4 for "abc"', () => {
    expect(toHex(group.sha512(utf8('abc')))).toBe(
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    );
  });

  it('agrees with @noble/hashes on every length up to 600 bytes and around the buffer', () => {
    const lengths = [...Array(600).keys(), ...[8_063, 8_064, 8_174, 8_175, 8_176, 8_191, 8_192, 8_193, 16_384, 65_536]];
    for (const length of lengths) {
      const bytes = random(length);
      expect([length, toHex(group.sha512(bytes))]).toEqual([length, toHex(sha512(bytes))]);
    }
  });

  it('does not mind how its input is cut', () => {
    const bytes = random(20_000);
    for (let i = 0; i < 200; i++) {
      const cuts = Array.from({ length: i % 7 }, () => Math.floor(Math.random() * bytes.length)).sort((a, b) => a - b);
      const parts = [0, ...cuts].map((from, place) => bytes.subarray(from, cuts[place] ?? bytes.length));
      expect(concatBytes(...parts)).toEqual(bytes);
      expect(toHex(group.sha512(...parts))).toBe(toHex(sha512(bytes)));
    }
    expect(toHex(group.sha512())).toBe(toHex(sha512(new Uint8Array(0))));
  });
});
