// SHA-512 (FIPS 180-4), on the 64-bit words that JavaScript lacks. No step depends on what is hashed.

import { HASH } from './arena';
import { SHA512_CONSTANTS, SHA512_START } from './sha512-constants';

/** Where the caller puts what is to be hashed: whole blocks, or the rest. Wiped by {@link sha512Finish}. */
export const HASH_INPUT: usize = memory.data(8192 + 256, 16);

const BLOCK: i32 = 128;
const STATE = HASH;
const SCHEDULE = HASH + 64;

export function sha512Start(): void {
  memory.copy(STATE, SHA512_START, 64);
}

// @ts-ignore: decorator
@inline
function reverseBytes(words: v128): v128 {
  return v128.shuffle<u8>(words, words, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
}

// @ts-ignore: decorator
@inline
function word(t: i32): u64 {
  return load<u64>(SCHEDULE + ((t & 15) << 3));
}

/** Word t of the schedule, t from 16 on, in the place of word t - 16. */
function extend(t: i32): u64 {
  const early = word(t + 1);
  const late = word(t + 14);
  const next =
    word(t) +
    word(t + 9) +
    (rotr<u64>(early, 1) ^ rotr<u64>(early, 8) ^ (early >> 7)) +
    (rotr<u64>(late, 19) ^ rotr<u64>(late, 61) ^ (late >> 6));
  store<u64>(SCHEDULE + ((t & 15) << 3), next);
  return next;
}

function compress(block: usize): void {
  for (let i = 0; i < BLOCK; i += 16) v128.store(SCHEDULE + i, reverseBytes(v128.load(block + i)));
  let a = load<u64>(STATE);
  let b = load<u64>(STATE, 8);
  let c = load<u64>(STATE, 16);
  let d = load<u64>(STATE, 24);
  let e = load<u64>(STATE, 32);
  let f = load<u64>(STATE, 40);
  let g = load<u64>(STATE, 48);
  let h = load<u64>(STATE, 56);
  for (let t = 0; t < 80; t++) {
    const w = t < 16 ? word(t) : extend(t);
    const s1 = rotr<u64>(e, 14) ^ rotr<u64>(e, 18) ^ rotr<u64>(e, 41);
    const s0 = rotr<u64>(a, 28) ^ rotr<u64>(a, 34) ^ rotr<u64>(a, 39);
    const first = h + s1 + (g ^ (e & (f ^ g))) + load<u64>(SHA512_CONSTANTS + (t << 3)) + w;
    const second = s0 + ((a & b) | (c & (a | b)));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  addTo(0, a);
  addTo(8, b);
  addTo(16, c);
  addTo(24, d);
  addTo(32, e);
  addTo(40, f);
  addTo(48, g);
  addTo(56, h);
}

// @ts-ignore: decorator
@inline
function addTo(offset: i32, value: u64): void {
  store<u64>(STATE + offset, load<u64>(STATE + offset) + value);
}

/** Takes in whole blocks from {@link HASH_INPUT}. */
export function sha512Absorb(blocks: i32): void {
  for (let i = 0; i < blocks; i++) compress(HASH_INPUT + i * BLOCK);
}

/** Takes in the last `rest` bytes of `length`, and leaves the digest, 64 bytes, at `out`. */
export function sha512Finish(out: usize, rest: i32, length: i32): void {
  const blocks = (rest + 17 + BLOCK - 1) / BLOCK;
  memory.fill(HASH_INPUT + rest, 0, blocks * BLOCK - rest);
  store<u8>(HASH_INPUT + rest, 0x80);
  const bits = i64x2.splat(<i64>length << 3);
  v128.store(HASH_INPUT + blocks * BLOCK - 16, reverseBytes(v128.and(bits, i64x2(0, -1))));
  sha512Absorb(blocks);
  for (let i = 0; i < 64; i += 16) v128.store(out + i, reverseBytes(v128.load(STATE + i)));
  memory.fill(HASH_INPUT, 0, 8192 + 256);
  memory.fill(HASH, 0, 192);
}
