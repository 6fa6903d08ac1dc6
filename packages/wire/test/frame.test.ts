import { createHash, createHmac } from 'node:crypto';
import { LIMITS, SecretBytes, utf8 } from '@streaming-yao/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FRAME_HEADER_BYTES,
  FRAME_KINDS,
  FRAME_OVERHEAD_BYTES,
  type FrameHashing,
  FrameLine,
  payloadOf,
  transcriptDigest,
} from '../src/index.ts';

const hashing: FrameHashing = {
  sha256: (...parts) => new Uint8Array(parts.reduce((state, part) => state.update(part), createHash('sha256')).digest()),
  hmacSha256: (key, ...parts) =>
    new Uint8Array(parts.reduce((state, part) => state.update(part), createHmac('sha256', key)).digest()),
};
const ceremonyId = new Uint8Array(32).fill(7);
const line = (fill = 1, direction: 'to-evaluator' | 'to-garbler' = 'to-evaluator', id = ceremonyId) =>
  new FrameLine(hashing, SecretBytes.own(new Uint8Array(32).fill(fill)), direction, id);
const invalid = expect.objectContaining({ code: 'frame_invalid' });

test('frames arrive as they were sent, in order, with equal transcripts at both ends', () => {
  const [sender, receiver] = [line(), line()];
  for (const [i, kind] of FRAME_KINDS.entries()) {
    const payload = new Uint8Array(i * 10).fill(i);
    expect(receiver.open(sender.seal(kind, payload, i % 2 === 0))).toEqual({ kind, payload, final: i % 2 === 0 });
    expect(receiver.transcript).toEqual(sender.transcript);
  }
});

test('the first frame has this encoding', () => {
  const frame = line().seal('open', utf8('payload'));
  const header = Uint8Array.of(1, 0, 0, 0, 0, 0, 1);
  const start = hashing.sha256(utf8('streaming-yao/1 frames to-evaluator\n'), ceremonyId);
  const transcript = hashing.sha256(start, header, utf8('payload'));
  const tag = hashing.hmacSha256(new Uint8Array(32).fill(1), transcript).subarray(0, 16);
  expect(frame).toEqual(Uint8Array.of(...header, ...utf8('payload'), ...tag));
});

test('any flipped bit anywhere is noticed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.nat(7), (payload, at, bit) => {
      const frame = line().seal('tables', payload);
      const i = at % frame.length;
      frame[i] = (frame[i] as number) ^ (1 << bit);
      expect(() => line().open(frame)).toThrow(invalid);
    }),
  );
});

test('a frame that is cut, lengthened, repeated, skipped, moved or of another line is refused', () => {
  const frames = (): Uint8Array[] => {
    const sender = line();
    return [sender.seal('tables', new Uint8Array(64)), sender.seal('tables', new Uint8Array(64))];
  };
  const [first, second] = frames() as [Uint8Array, Uint8Array];
  for (let length = 0; length < first.length; length++) expect(() => line().open(first.subarray(0, length))).toThrow(invalid);
  expect(() => line().open(Uint8Array.of(...first, 0))).toThrow(invalid);
  expect(() => line().open(second)).toThrow(invalid);
  const receiver = line();
  receiver.open(first);
  expect(() => receiver.open(first)).toThrow(invalid);
  for (const other of [line(2), line(1, 'to-garbler'), line(1, 'to-evaluator', new Uint8Array(32))]) {
    expect(() => other.open(first)).toThrow(invalid);
  }
});

test('a frame fills the limit exactly and no byte more', () => {
  const largest = LIMITS.frameBytes - FRAME_OVERHEAD_BYTES;
  const frame = line().seal('tables', new Uint8Array(largest));
  expect(frame.length).toBe(LIMITS.frameBytes);
  expect(line().open(frame).payload.length).toBe(largest);
  expect(() => line().seal('tables', new Uint8Array(largest + 1))).toThrow(RangeError);
  expect(() => line().open(new Uint8Array(LIMITS.frameBytes + 1))).toThrow(invalid);
});

test('sealing in place gives the bytes of sealing a copy', () => {
  const buffer = new Uint8Array(100);
  buffer.set(utf8('payload'), FRAME_HEADER_BYTES);
  expect(line().sealInPlace(buffer, 'output', 7, true)).toEqual(line().seal('output', utf8('payload')));
});

test('the payload can be read before its key is known, and nothing shorter than a frame', () => {
  expect(payloadOf(line().seal('open', utf8('x')))).toEqual(utf8('x'));
  expect(() => payloadOf(new Uint8Array(FRAME_OVERHEAD_BYTES - 1))).toThrow(invalid);
});

test('a stream that is opened in a version that nobody reads is refused, whoever reads it first', () => {
  const opening = line().seal('open', utf8('x'));
  opening[0] = 2;
  expect(() => payloadOf(opening)).toThrow(invalid);
  expect(() => line().answer(opening)).toThrow(invalid);
});

test('the digest for the receipt depends on both directions', () => {
  const [there, back] = [line(), line(1, 'to-garbler')];
  const before = transcriptDigest(hashing, there.transcript, back.transcript);
  back.seal('credit', new Uint8Array(1));
  const between = transcriptDigest(hashing, there.transcript, back.transcript);
  there.seal('tables', new Uint8Array(1));
  expect(new Set([before, between, transcriptDigest(hashing, there.transcript, back.transcript)].map(String)).size).toBe(3);
});
