import { blake3 } from '@noble/hashes/blake3.js';
import { SEED_BYTES } from './ticket.ts';

/** Bytes of a row of the OT matrix and of a pad. */
export const ROW_BYTES = 16;

/** Expands every 16-byte seed to a column of `stride` bytes: keyed BLAKE3 of the seed, as a stream. */
export function expandSeeds(key: Uint8Array, seeds: Uint8Array, stride: number): Uint8Array {
  const columns = new Uint8Array((seeds.length / SEED_BYTES) * stride);
  for (let seed = 0; seed * SEED_BYTES < seeds.length; seed++) {
    const bytes = seeds.subarray(seed * SEED_BYTES, (seed + 1) * SEED_BYTES);
    columns.set(blake3(bytes, { key, dkLen: stride }), seed * stride);
  }
  return columns;
}

/** The pad of every row: 16 bytes of keyed BLAKE3 of row i, output block i. */
export function hashRows(key: Uint8Array, rows: Uint8Array): Uint8Array {
  const pads = new Uint8Array(rows.length);
  for (let row = 0; row * ROW_BYTES < rows.length; row++) {
    const at = row * ROW_BYTES;
    const stream = blake3(rows.subarray(at, at + ROW_BYTES), { key, dkLen: row * 64 + ROW_BYTES });
    pads.set(stream.subarray(row * 64), at);
  }
  return pads;
}
