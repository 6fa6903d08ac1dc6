import { SecretBytes } from '@streaming-yao/core';
import { LABEL_BYTES } from './party.ts';

/** Little-endian words of `bytes`, whose length is a multiple of four. */
export function toWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

/** The inverse of {@link toWords}, into `bytes` from `offset` on. */
export function putWords(words: ArrayLike<number>, bytes: Uint8Array, offset = 0): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 4 * words.length);
  for (let i = 0; i < words.length; i++) view.setUint32(4 * i, words[i]!, true);
}

/** Concatenates blocks of four words; they are wiped. */
export function blocksToSecret(blocks: readonly Uint32Array[]): SecretBytes {
  const bytes = new Uint8Array(LABEL_BYTES * blocks.length);
  blocks.forEach((block, i) => {
    putWords(block, bytes, LABEL_BYTES * i);
    block.fill(0);
  });
  return SecretBytes.own(bytes);
}
