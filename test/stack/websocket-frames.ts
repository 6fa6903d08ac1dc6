export type FrameSplitter = (chunk: Uint8Array) => void;

/** Cuts one direction of a WebSocket into its frames' payloads, unmasked (RFC 6455 section 5.2). */
export function splitFrames(frame: (payload: Uint8Array) => void): FrameSplitter {
  let kept: Buffer = Buffer.alloc(0);
  return (chunk) => {
    kept = Buffer.concat([kept, chunk]);
    for (let found = firstFrame(kept); found; found = firstFrame(kept)) {
      kept = kept.subarray(found.end);
      frame(found.payload);
    }
  };
}

function firstFrame(bytes: Buffer): { readonly payload: Uint8Array; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const lengthEnd = short === 127 ? 10 : short === 126 ? 4 : 2;
  const maskEnd = lengthEnd + (second & 0x80 ? 4 : 0);
  if (bytes.length < maskEnd) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  const end = maskEnd + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(lengthEnd, maskEnd);
  const payload = Uint8Array.from(bytes.subarray(maskEnd, end));
  if (mask.length > 0) for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i % 4] as number);
  return { payload, end };
}
