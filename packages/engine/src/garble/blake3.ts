// BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), cut to what the engine hashes: one keyed block of 16 bytes.

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a] as const;
const MESSAGE_PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const;
const MESSAGE_BYTES = 16;
/** KEYED_HASH, ROOT, CHUNK_END and CHUNK_START. */
const FLAGS = 16 | 8 | 2 | 1;
const ROUNDS = 7;

/** Columns, then diagonals, of the 4 by 4 state. */
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(v: Uint32Array, quarter: (typeof QUARTERS)[number], first: number, second: number): void {
  const [a, b, c, d] = quarter;
  v[a] = v[a]! + v[b]! + first;
  v[d] = rotateRight(v[d]! ^ v[a]!, 16);
  v[c] = v[c]! + v[d]!;
  v[b] = rotateRight(v[b]! ^ v[c]!, 12);
  v[a] = v[a]! + v[b]! + second;
  v[d] = rotateRight(v[d]! ^ v[a]!, 8);
  v[c] = v[c]! + v[d]!;
  v[b] = rotateRight(v[b]! ^ v[c]!, 7);
}

/** For each round, which message word stands in which place. */
const MESSAGE_ORDER: readonly (readonly number[])[] = Array.from({ length: ROUNDS - 1 }).reduce<number[][]>(
  (orders) => [...orders, MESSAGE_PERMUTATION.map((place) => orders.at(-1)![place]!)],
  [Array.from({ length: 16 }, (_, i) => i)],
);

const state = new Uint32Array(16);
const block = new Uint32Array(16);

/**
 * Block `counter` of the keyed BLAKE3 output stream of a 16-byte message: `blake3(message, { key }).xof` from byte
 * 64 * counter on.
 * @param key eight little-endian words
 * @param message four little-endian words
 * @param counter 0 to 2^53 - 1
 * @param out receives 16 little-endian words
 */
export function blake3Block(key: Uint32Array, message: Uint32Array, counter: number, out: Uint32Array): void {
  if (!Number.isSafeInteger(counter) || counter < 0) throw new RangeError(`block counter ${counter} is out of range`);
  state.set(key);
  state.set(IV, 8);
  state[12] = counter;
  state[13] = Math.floor(counter / 2 ** 32);
  state[14] = MESSAGE_BYTES;
  state[15] = FLAGS;
  block.set(message);
  for (const order of MESSAGE_ORDER) {
    for (let i = 0; i < 8; i++) mix(state, QUARTERS[i]!, block[order[2 * i]!]!, block[order[2 * i + 1]!]!);
  }
  for (let i = 0; i < 8; i++) {
    out[i] = state[i]! ^ state[i + 8]!;
    out[i + 8] = state[i + 8]! ^ key[i]!;
  }
}
