import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { contribution } from '@streaming-yao/ceremony/derivation';
import { equalBytes, SecretBytes, xorBytes } from '@streaming-yao/core';
import type { Stack } from '../../tools/stack.ts';
import { stolenSecret } from './key-folder.ts';
import type { Needle } from './secret-search.ts';

/** Which key of which wallet. */
export interface KeyName {
  readonly walletId: string;
  readonly keyIndex: number;
}

const L = ed25519.Point.Fn.ORDER;
const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const scalarBytes = (value: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from((((value % L) + L) % L).toString(16).padStart(64, '0'), 'hex').reverse());

/** What the two Derivers and a client root join to, worked out by whoever has everything. */
export class Joined {
  readonly yc: Uint8Array;
  readonly seed: Uint8Array;
  readonly digest: Uint8Array;
  readonly clamped: Uint8Array;
  readonly reduced: Uint8Array;
  readonly publicKey: Uint8Array;

  private constructor(yc: Uint8Array, seed: Uint8Array) {
    this.yc = yc;
    this.seed = seed;
    this.digest = sha512(seed);
    this.clamped = this.digest.slice(0, 32);
    this.clamped[0] = (this.clamped[0] as number) & 0xf8;
    this.clamped[31] = ((this.clamped[31] as number) & 0x7f) | 0x40;
    this.reduced = scalarBytes(littleEndian(this.clamped));
    this.publicKey = ed25519.getPublicKey(seed);
  }

  static async of(stack: Stack, { walletId, keyIndex }: KeyName, root: SecretBytes): Promise<Joined> {
    const key = { deployment: stack.pins.deployment, walletId, keyIndex };
    using rootA = await stolenSecret(stack, 'deriver-a', 'derivation-root');
    using rootB = await stolenSecret(stack, 'deriver-b', 'derivation-root');
    const part = (source: SecretBytes, party: Parameters<typeof contribution>[1]): Uint8Array =>
      contribution(source, party, key).use((bytes) => bytes.slice());
    const yc = part(root, 'client');
    return new Joined(yc, xorBytes(xorBytes(yc, part(rootA, 'deriver-a')), part(rootB, 'deriver-b')));
  }

  /** Finds the root among candidates by the public key that it leads to. */
  static async find(stack: Stack, key: KeyName, candidates: readonly Uint8Array[], publicKey: Uint8Array) {
    for (const candidate of candidates) {
      using root = SecretBytes.copy(candidate);
      const joined = await Joined.of(stack, key, root);
      if (equalBytes(joined.publicKey, publicKey)) return { joined, root: candidate };
    }
    throw new Error('none of these is the client root');
  }

  /** What no role may ever see, a lane's joined shares included. @param shares xc of each epoch of each lane */
  needles(root: Uint8Array, shares: Readonly<Record<string, Uint8Array>>): readonly Needle[] {
    const { yc, seed, digest, clamped, reduced } = this;
    const key = {
      'client root': root,
      yc,
      seed,
      'digest, first half': digest.slice(0, 32),
      'digest, second half': digest.slice(32),
    };
    const lanes = Object.entries(shares).flatMap(([lane, xc]) => [
      [`xc of ${lane}`, xc] as const,
      [`xs of ${lane}`, scalarBytes(littleEndian(reduced) - littleEndian(xc))] as const,
    ]);
    const all = [...Object.entries({ ...key, a: clamped, 'a mod L': reduced }), ...lanes];
    return all.map(([name, bytes]) => ({ name, bytes }));
  }
}
