import type { Engine } from '../engine.ts';
import { SEED_BYTES } from './ticket.ts';

/** Hashes of many 16-byte messages under one key: the part of the engine that oblivious transfer needs. */
export type BlockHash = Pick<Engine, 'hashBlocks'>;

/** Bytes of a row of the OT matrix and of a pad. */
export const ROW_BYTES = 16;
const BLOCK_BYTES = 64;

/** Expands every 16-byte seed to a column of `stride` bytes: keyed BLAKE3 of the seed, as a stream. */
export function expandSeeds(engine: BlockHash, key: Uint8Array, seeds: Uint8Array, stride: number): Uint8Array {
  const columns = new Uint8Array((seeds.length / SEED_BYTES) * stride);
  for (let offset = 0; offset < stride; offset += BLOCK_BYTES) {
    const blocks = engine.hashBlocks(key, seeds, offset / BLOCK_BYTES, 0);
    const length = Math.min(BLOCK_BYTES, stride - offset);
    for (let at = offset, from = 0; from < blocks.length; at += stride, from += BLOCK_BYTES) {
      columns.set(blocks.subarray(from, from + length), at);
    }
    blocks.fill(0);
  }
  return columns;
}

/** The pad of every row: 16 bytes of keyed BLAKE3 of row i, output block i. */
export function hashRows(engine: BlockHash, key: Uint8Array, rows: Uint8Array): Uint8Array {
  const pads = new Uint8Array(rows.length);
  const blocks = engine.hashBlocks(key, rows, 0, 1);
  for (let at = 0; at < rows.length; at += ROW_BYTES) pads.set(blocks.subarray(4 * at, 4 * at + ROW_BYTES), at);
  blocks.fill(0);
  return pads;
}
