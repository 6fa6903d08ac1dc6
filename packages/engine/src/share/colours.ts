import type { SecretBytes } from '@streaming-yao/core';
import { LABEL_BYTES } from '../garble/party.ts';

/** Colours of `labels` (16 bytes each) as bits: bit i of the result is bit i & 7 of byte i >> 3. The end is padded with zero bits. */
export function colours(labels: SecretBytes): SecretBytes {
  return labels.map((bytes) => {
    const packed = new Uint8Array(Math.ceil(bytes.length / LABEL_BYTES / 8));
    for (let i = 0; i * LABEL_BYTES < bytes.length; i++) {
      packed[i >> 3] = packed[i >> 3]! | ((bytes[i * LABEL_BYTES]! & 1) << (i & 7));
    }
    return packed;
  });
}
