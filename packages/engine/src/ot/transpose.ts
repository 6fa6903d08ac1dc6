/**
 * Transposes a bit matrix of 128 columns into rows of 16 bytes.
 * @param columns 128 columns of `stride` bytes each; row i is bit i & 7 of byte i >> 3
 * @param count rows wanted, a multiple of 8
 * @returns `count` rows of 16 bytes; column j is bit j & 7 of byte j >> 3
 */
export function transposeColumns(columns: Uint8Array, stride: number, count: number): Uint8Array {
  const rows = new Uint8Array(count * 16);
  for (let group = 0; group < 16; group++) {
    for (let byte = 0; byte < count >> 3; byte++) {
      let low = 0;
      let high = 0;
      for (let i = 3; i >= 0; i--) {
        low = (low << 8) | columns[(8 * group + i) * stride + byte]!;
        high = (high << 8) | columns[(8 * group + 4 + i) * stride + byte]!;
      }
      // The 8 by 8 transpose of Warren, Hacker's Delight, section 7-3, for the little-endian bit order.
      let swap = (low ^ (low >>> 7)) & 0x00aa00aa;
      low ^= swap ^ (swap << 7);
      swap = (high ^ (high >>> 7)) & 0x00aa00aa;
      high ^= swap ^ (swap << 7);
      swap = (low ^ (low >>> 14)) & 0x0000cccc;
      low ^= swap ^ (swap << 14);
      swap = (high ^ (high >>> 14)) & 0x0000cccc;
      high ^= swap ^ (swap << 14);
      swap = ((low >>> 4) ^ high) & 0x0f0f0f0f;
      low ^= swap << 4;
      high ^= swap;
      for (let i = 0; i < 4; i++) {
        rows[(8 * byte + i) * 16 + group] = low >>> (8 * i);
        rows[(8 * byte + 4 + i) * 16 + group] = high >>> (8 * i);
      }
    }
  }
  return rows;
}
