import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, toHex, utf8 } from '@streaming-yao/core';
import { kindOf } from '@streaming-yao/signing';
import { Finding, typed } from '../finding.ts';
import type { Target } from '../target.ts';

const key = new Uint8Array(32).fill(7);
const zeros = (length: number): Uint8Array => new Uint8Array(length);

/** NEAR's encoding of a text. */
const borsh = (text: string): Uint8Array => concatBytes(Uint8Array.of(text.length, 0, 0, 0), utf8(text));

const solana = concatBytes(Uint8Array.of(1, 0, 1, 2), key, zeros(32), zeros(32), Uint8Array.of(1, 1, 1, 0, 2, 104, 105));
const transfer = concatBytes(Uint8Array.of(1, 0, 0, 0, 3), zeros(16));
const nearKey = concatBytes(Uint8Array.of(0), key);
const transaction = concatBytes(borsh('a.near'), nearKey, zeros(8), borsh('bo.near'), zeros(32), transfer);
const delegate = concatBytes(Uint8Array.of(0x6e, 1, 0, 0x40), borsh('a.near'), borsh('bo.near'), transfer, zeros(16), nearKey);
const login = concatBytes(Uint8Array.of(0x9d, 1, 0, 0x80), borsh('log in'), zeros(32), borsh('app'), Uint8Array.of(0));

/** What the SigningWorker takes a message for, and the chain's structure behind a digest. */
export const kindTarget: Target = {
  name: 'message-kind',
  about: 'what a message is, by its bytes',
  maxBytes: 4 * 1024,
  batch: 512,
  allocatedBytes: 4 * 1024 * 1024,
  seeds: () => [solana, transaction, delegate, login, utf8('pay 3 to Bo\n')],
  run: (input) => {
    const kind = typed(() => kindOf(input, null, key));
    const behind = typed(() => kindOf(sha256(input), input, key));
    if (kind === undefined || behind === undefined) throw new Finding('crash', 'a message has a kind, whatever it is');
    const longer = concatBytes(input, Uint8Array.of(0));
    const twice = kind !== 'bytes' && kind === kindOf(longer, null, key);
    if (twice || (behind !== 'bytes' && behind === kindOf(sha256(longer), longer, key)))
      throw new Finding('canonical', `${toHex(input)} is ${kind} and ${behind} with a byte too many, too`);
  },
};
