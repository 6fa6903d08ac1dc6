import { Transform } from 'node:stream';
import { LIMITS } from '@streaming-yao/core';
import { afterAll, describe, expect, test } from 'vitest';
import { outcomeOf, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { type Meddling, Tap } from './tap.ts';

const taps: Tap[] = [];
/** What happens on the line of the next ceremony. */
let meddling: Meddling | undefined;

const shared = sharedStack({
  settings: { ceremonyDeadlineMs: 6_000 },
  between: async (caller, _, port) => {
    if (caller !== 'deriver-a') return port;
    const tap = await Tap.open(
      port,
      () => undefined,
      () => {
        const own = meddling;
        meddling = undefined;
        return own;
      },
    );
    taps.push(tap);
    return tap.port;
  },
});

afterAll(() => {
  for (const tap of taps) tap.close();
});

const only =
  (wanted: Parameters<Meddling>[0], through: () => Transform): Meddling =>
  (direction) =>
    direction === wanted ? through() : undefined;

/** Lets every chunk pass so much later than the one before. */
const slow = (ms: number): Transform =>
  new Transform({ transform: (chunk, _, next) => void setTimeout(() => next(undefined, chunk), ms) });

const silent = (): Transform => new Transform({ transform: (_chunk, _encoding, next) => next() });

/** A binary message of a WebSocket's client, under a mask of zeros (RFC 6455 section 5.2). */
function message(length: number): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt8(0x82, 0);
  head.writeUInt8(0x80 | 127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(length)]);
}

/** The shortest form has to be used for no bytes at all. */
const EMPTY = Buffer.from('828000000000', 'hex');

const sendingFirst = (bytes: Buffer) => (): Transform => {
  let sent = false;
  return new Transform({
    transform(chunk, _, next) {
      if (!sent) this.push(bytes);
      sent = true;
      next(undefined, chunk);
    },
  });
};

describe('the peer of a ceremony', () => {
  test.each<readonly [string, Meddling, string]>([
    ['garbles slowly', only('to-callee', () => slow(15)), 'done'],
    ['evaluates slowly', only('to-caller', () => slow(150)), 'done'],
    ['never answers', only('to-caller', silent), 'deadline_exceeded'],
    ['falls silent', only('to-callee', silent), 'deadline_exceeded'],
    ['sends too much', only('to-callee', sendingFirst(Buffer.concat(Array(100).fill(message(60_000))))), 'frame_invalid'],
    ['sends a thousand empty frames', only('to-callee', sendingFirst(Buffer.concat(Array(1_000).fill(EMPTY)))), 'frame_invalid'],
    ['sends a frame over the limit', only('to-callee', sendingFirst(message(LIMITS.frameBytes + 1))), 'frame_invalid'],
  ])('%s: that ceremony ends in time, and the others go on', async (_, how, outcome) => {
    const [unlucky, lucky] = [new TestDevice(shared.stack), new TestDevice(shared.stack)];
    meddling = how;
    const under = outcomeOf(unlucky.wallet.register());
    await expect.poll(() => meddling).toBeUndefined();
    const { publicKey } = await lucky.wallet.register();
    expect(await signs(lucky, publicKey)).toBe(true);
    expect(await under).toBe(outcome);
    const own = outcome === 'done' ? await unlucky.wallet.publicKey() : (await unlucky.wallet.register()).publicKey;
    expect(await signs(unlucky, own)).toBe(true);
  });
});
