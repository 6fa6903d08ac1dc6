// BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020), cut to what the engine hashes: one keyed block.

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a] as const;
const MESSAGE_PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const;
/** KEYED_HASH, ROOT, CHUNK_END and CHUNK_START. */
const FLAGS = 16 | 8 | 2 | 1;
const ROUNDS = 7;

/** Which message word each place of each round takes. */
const schedule = new Uint8Array(16 * ROUNDS);
for (let i = 0; i < 16; i++) schedule[i] = i;
for (let i = 16; i < schedule.length; i++) schedule[i] = schedule[i - 16 - (i % 16) + MESSAGE_PERMUTATION[i % 16]!]!;

const state = new Uint32Array(16);
const block = new Uint32Array(16);

function mix(a: number, b: number, c: number, d: number, first: number, second: number): void {
  let x = (state[a]! + state[b]! + first) | 0;
  let w = state[d]! ^ x;
  w = (w >>> 16) | (w << 16);
  let z = (state[c]! + w) | 0;
  let y = state[b]! ^ z;
  y = (y >>> 12) | (y << 20);
  x = (x + y + second) | 0;
  w ^= x;
  w = (w >>> 8) | (w << 24);
  z = (z + w) | 0;
  y ^= z;
  state[a] = x;
  state[b] = (y >>> 7) | (y << 25);
  state[c] = z;
  state[d] = w;
}

/** Columns, then diagonals, of the 4 by 4 state. */
function round(at: number): void {
  const word = (place: number): number => block[schedule[at + place]!]!;
  mix(0, 4, 8, 12, word(0), word(1));
  mix(1, 5, 9, 13, word(2), word(3));
  mix(2, 6, 10, 14, word(4), word(5));
  mix(3, 7, 11, 15, word(6), word(7));
  mix(0, 5, 10, 15, word(8), word(9));
  mix(1, 6, 11, 12, word(10), word(11));
  mix(2, 7, 8, 13, word(12), word(13));
  mix(3, 4, 9, 14, word(14), word(15));
}

/**
 * Block `counter` of the keyed BLAKE3 output stream of a short message: `blake3(message, { key }).xof` from byte
 * 64 * counter on.
 * @param key eight little-endian words
 * @param message one to sixteen little-endian words
 * @param counter 0 to 2^53 - 1
 * @param out receives 16 little-endian words
 */
export function blake3Block(key: Uint32Array, message: Uint32Array, counter: number, out: Uint32Array): void {
  if (!Number.isSafeInteger(counter) || counter < 0) throw new RangeError(`block counter ${counter} is out of range`);
  state.set(key);
  state.set(IV, 8);
  state[12] = counter;
  state[13] = Math.floor(counter / 2 ** 32);
  state[14] = 4 * message.length;
  state[15] = FLAGS;
  block.fill(0);
  block.set(message);
  for (let at = 0; at < schedule.length; at += 16) round(at);
  for (let i = 0; i < 8; i++) {
    out[i] = state[i]! ^ state[i + 8]!;
    out[i + 8] = state[i + 8]! ^ key[i]!;
  }
}
