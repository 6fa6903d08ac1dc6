/**
 * The 32-bit words of `bytes`, in place: writing one writes the other. Every platform with WebAssembly that the engine runs on is
 * little-endian, as the protocol is.
 * @param bytes starts at a multiple of four bytes of its buffer
 */
export function asWords(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
