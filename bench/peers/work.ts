import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CircuitBuilder, FREE_BITS, type Literal, sha512FirstHalf, writeBristol } from '@streaming-yao/engine';
import { plainBristol } from './bristol.ts';
import { sha512 } from './sha512.ts';

/** Bits of each party's input. */
export const INPUT_BITS = 256;

type Outputs = (builder: CircuitBuilder, seed: readonly Literal[]) => Literal[];

interface Digest {
  readonly outputs: Outputs;
  /** First and one-past-last bit of the digest. */
  readonly first: number;
  readonly end: number;
}

/** Functions of the XOR of two inputs of 32 bytes. All contestants compute one by the same circuit. */
const WORKS = {
  /** The 251 bits of SHA-512's first half that an RFC 8032 scalar keeps: what our kernel computes. */
  scalar: {
    outputs: (builder, seed) => sha512FirstHalf(builder, seed).slice(FREE_BITS.first, FREE_BITS.end),
    first: FREE_BITS.first,
    end: FREE_BITS.end,
  },
  /** All 64 bytes of SHA-512, by a circuit as the standard writes it. */
  digest: { outputs: sha512, first: 0, end: 512 },
} satisfies Record<string, Digest>;

export type WorkName = keyof typeof WORKS;

/** Bit i of a byte string is bit i & 7 of byte i >> 3. */
export const bitsOf = (bytes: Uint8Array): number[] =>
  Array.from({ length: 8 * bytes.length }, (_, i) => ((bytes[i >> 3] ?? 0) >> (i & 7)) & 1);

function bristolOfBoth(outputs: Outputs): string {
  const builder = new CircuitBuilder();
  const [left, right] = [builder.input(INPUT_BITS), builder.input(INPUT_BITS)];
  const joined = left.map((bit, i) => builder.xor(bit, right[i] as Literal));
  return plainBristol(builder.finish(outputs(builder, joined)));
}

function bristolOfSeed(outputs: Outputs): string {
  const builder = new CircuitBuilder();
  return writeBristol(builder.finish(outputs(builder, builder.input(INPUT_BITS))));
}

/** Circuits lie in files, so that what it took to build them is not in the memory of who runs them. */
const fileOf = (folder: string, name: WorkName, inputs: 'both' | 'seed') => path.join(folder, `${name}-of-${inputs}.txt`);

export async function writeWork(name: WorkName, folder: string): Promise<void> {
  const { outputs } = WORKS[name];
  await writeFile(fileOf(folder, name, 'both'), bristolOfBoth(outputs));
  await writeFile(fileOf(folder, name, 'seed'), bristolOfSeed(outputs));
}

/** What a contestant has to compute. */
export interface Work {
  readonly bits: number;
  /** Circuit with one input a party, as the peers take it; the XOR of the inputs costs no AND gate. */
  ofBoth(): Promise<string>;
  /** Circuit with the joined input, whose shares our garbler's labels join. */
  ofSeed(): Promise<string>;
  /** Bits of the result, 0 or 1 each, from an implementation that shares nothing with the circuit. */
  expected(seed: Uint8Array): number[];
}

export function openWork(name: WorkName, folder: string): Work {
  const { first, end } = WORKS[name];
  return {
    bits: end - first,
    ofBoth: () => readFile(fileOf(folder, name, 'both'), 'utf8'),
    ofSeed: () => readFile(fileOf(folder, name, 'seed'), 'utf8'),
    expected: (seed) => bitsOf(createHash('sha512').update(seed).digest()).slice(first, end),
  };
}
