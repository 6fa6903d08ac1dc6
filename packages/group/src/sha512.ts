import type { Kernel } from './kernel.ts';

const BLOCK_BYTES = 128;
const INPUT_BYTES = 8_192;
const DIGEST_BYTES = 64;

/** SHA-512 of the parts one after another: 64 bytes. Leaves nothing of them in the kernel's memory. */
export function sha512(kernel: Kernel, parts: readonly Uint8Array[]): Uint8Array {
  const { run, out, hashInput } = kernel;
  let [filled, length] = [0, 0];
  run.sha512Start();
  for (const part of parts) {
    length += part.length;
    for (let offset = 0; offset < part.length; ) {
      const piece = part.subarray(offset, offset + INPUT_BYTES - filled);
      kernel.write(hashInput + filled, piece);
      offset += piece.length;
      filled += piece.length;
      if (filled < INPUT_BYTES) continue;
      run.sha512Absorb(INPUT_BYTES / BLOCK_BYTES);
      filled = 0;
    }
  }
  run.sha512Finish(out, filled, length);
  const digest = kernel.read(out, DIGEST_BYTES);
  kernel.write(out, new Uint8Array(DIGEST_BYTES));
  return digest;
}
