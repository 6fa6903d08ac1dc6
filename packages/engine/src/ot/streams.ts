import { blake3Block } from '../garble/blake3.ts';
import { SEED_BYTES } from './ticket.ts';
import { asWords } from './words.ts';

/** Bytes of a row of the OT matrix and of a pad. */
export const ROW_BYTES = 16;
const BLOCK_BYTES = 64;

/** Block `firstCounter + counterStep * i` of keyed BLAKE3 of the 16-byte message i, 64 bytes each. */
function hashBlocks(key: Uint8Array, messages: Uint8Array, firstCounter: number, counterStep: 0 | 1): Uint8Array {
  const keyWords = asWords(key);
  const words = asWords(messages);
  const blocks = new Uint8Array(4 * messages.length);
  const into = asWords(blocks);
  for (let i = 0; 4 * i < words.length; i++) {
    blake3Block(keyWords, words.subarray(4 * i, 4 * i + 4), firstCounter + counterStep * i, into.subarray(16 * i, 16 * i + 16));
  }
  return blocks;
}

/** Expands every 16-byte seed to a column of `stride` bytes: keyed BLAKE3 of the seed, as a stream. */
export function expandSeeds(key: Uint8Array, seeds: Uint8Array, stride: number): Uint8Array {
  const columns = new Uint8Array((seeds.length / SEED_BYTES) * stride);
  for (let offset = 0; offset < stride; offset += BLOCK_BYTES) {
    const blocks = hashBlocks(key, seeds, offset / BLOCK_BYTES, 0);
    const length = Math.min(BLOCK_BYTES, stride - offset);
    for (let at = offset, from = 0; from < blocks.length; at += stride, from += BLOCK_BYTES) {
      columns.set(blocks.subarray(from, from + length), at);
    }
    blocks.fill(0);
  }
  return columns;
}

/** The pad of every row: 16 bytes of keyed BLAKE3 of row i, output block i. */
export function hashRows(key: Uint8Array, rows: Uint8Array): Uint8Array {
  const pads = new Uint8Array(rows.length);
  const blocks = hashBlocks(key, rows, 0, 1);
  for (let at = 0; at < rows.length; at += ROW_BYTES) pads.set(blocks.subarray(4 * at, 4 * at + ROW_BYTES), at);
  blocks.fill(0);
  return pads;
}
