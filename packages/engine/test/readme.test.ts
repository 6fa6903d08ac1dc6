import { readFileSync } from 'node:fs';
import { sha512 } from '@noble/hashes/sha2.js';
import { SecretBytes, xorBytes } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { evaluate, garble } from '../example.ts';
import {
  CHOICES_BYTES,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  PADS_BYTES,
  PAIRING_MESSAGE_BYTES,
  PAIRING_REPLY_BYTES,
  TABLE_BYTES,
} from '../src/index.ts';
import { ED25519_ORDER, littleEndianToNumber } from '../src/share/modulus.ts';
import { tape } from './fixtures.ts';

const folder = new URL('../', import.meta.url);
const readme = readFileSync(new URL('README.md', folder), 'utf8');

/** One end of a message channel: what arrives before it is asked for waits. */
function peer(port: MessagePort) {
  const arrived: Uint8Array[] = [];
  const waiting: ((message: Uint8Array) => void)[] = [];
  port.onmessage = ({ data }: MessageEvent<Uint8Array>) => {
    const next = waiting.shift();
    if (next) next(data);
    else arrived.push(data);
  };
  return {
    send: (message: Uint8Array) => port.postMessage(message),
    receive: async () => arrived.shift() ?? new Promise<Uint8Array>((resolve) => waiting.push(resolve)),
  };
}

describe('the README', () => {
  it('shows the example as it is', () => {
    expect(readme).toContain(`\`\`\`ts\n${readFileSync(new URL('example.ts', folder), 'utf8')}\`\`\`\n`);
  });

  it('shows an example that works over a message channel', async () => {
    const random = tape('readme');
    const [a, b, ceremonyId] = [random(32), random(32), random(32)];
    const { port1, port2 } = new MessageChannel();
    const shares = await Promise.all([
      garble(peer(port1), ceremonyId, SecretBytes.copy(a)),
      evaluate(peer(port2), ceremonyId, SecretBytes.copy(b)),
    ]);
    port1.close();
    const sum = shares.reduce((total, share) => total + share.use(littleEndianToNumber), 0n) % ED25519_ORDER;
    const digest = littleEndianToNumber(sha512(xorBytes(a, b)).subarray(0, 32));
    const clamped = (digest & (2n ** 254n - 8n)) | (2n ** 254n);
    expect(sum).toBe(clamped % ED25519_ORDER);
  });

  it('names the sizes as they are', () => {
    const rows: [string, readonly number[]][] = [
      ['pairing message, reply', [PAIRING_MESSAGE_BYTES, PAIRING_REPLY_BYTES]],
      ['choices', [CHOICES_BYTES]],
      ['pads', [PADS_BYTES]],
      ['tables of an activation', [TABLE_BYTES.activation]],
      ['ciphertexts of the scalar, of the seed', [OUTPUT_CIPHERTEXT_BYTES, INPUT_CIPHERTEXT_BYTES]],
    ];
    for (const [message, sizes] of rows) {
      const row = readme.split('\n').find((line) => line.startsWith(`| ${message} |`)) ?? '';
      expect(row.match(/\d[\d,]*/g)?.map((text) => Number(text.replaceAll(',', '')))).toEqual(sizes);
    }
  });
});
