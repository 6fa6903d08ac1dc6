import { PROFILES } from '@streaming-yao/wire';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cut, CutLine } from './cut-line.ts';
import { outcomeOf, signs, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';

const FIRST_FRAME: Cut = { afterBytes: 0 };
const MIDDLE: Cut = { afterBytes: 900_000 };

describe.each(PROFILES)('%s: the line between the Derivers breaks', (profile) => {
  let line: CutLine | undefined;
  const shared = sharedStack({
    profile,
    between: async (caller, _, port) => {
      if (caller !== 'deriver-a') return port;
      line = await CutLine.open(port);
      return line.port;
    },
  });
  afterAll(() => line?.close());
  beforeEach(() => {
    line?.cuts.splice(0);
  });

  const cut = (...cuts: readonly Cut[]): CutLine => {
    if (!line) throw new Error('Deriver A has no line');
    line.cuts.push(...cuts);
    line.streams = 0;
    return line;
  };

  test('before B’s answer: A dials again with the same opening, and the ceremony goes on', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const cutting = cut('before the answer', 'before the answer');
    expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
    expect([cutting.streams, cutting.cuts]).toEqual([3, []]);
    expect(await signs(device, publicKey)).toBe(true);
  });

  test('before B’s answer, every time: A gives up after six requests', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const cutting = cut(...Array.from({ length: 7 }, () => 'before the answer' as const));
    expect(await outcomeOf(device.wallet.refresh())).toBe('peer_failed');
    expect(cutting.streams).toBe(6);
    cutting.cuts.splice(0);
    expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
  });

  test('at the first frame after the opening: the ceremony is burned, and the next one succeeds', async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const cutting = cut(FIRST_FRAME);
    expect(await outcomeOf(device.wallet.refresh())).toBe('peer_failed');
    expect(cutting.streams).toBe(1);
    expect((await device.wallet.refresh()).publicKey).toEqual(publicKey);
  });

  test('an answer that B has not signed: A sends nothing more, and does not ask again', async () => {
    const device = new TestDevice(shared.stack);
    await device.wallet.register();
    const cutting = cut('damaged signature');
    expect(await outcomeOf(device.wallet.refresh())).toBe('peer_failed');
    expect(cutting.streams).toBe(1);
    // The end of a WebSocket, and no frame.
    expect(cutting.followingBytes).toBeLessThan(32);
  });

  // Often where the line is a public one.
  const times = profile === 'two-operators' ? 50 : 4;
  test(`${times} times in rapid succession: each next ceremony succeeds at once`, async () => {
    const device = new TestDevice(shared.stack);
    const { publicKey } = await device.wallet.register();
    const outcomes: string[] = [];
    for (let i = 0; i < times; i++) {
      cut(i % 2 === 0 ? FIRST_FRAME : MIDDLE);
      outcomes.push(await outcomeOf(device.wallet.refresh()), await outcomeOf(device.wallet.refresh()));
    }
    expect(outcomes).toEqual(Array.from({ length: times }, () => ['peer_failed', 'done']).flat());
    expect(await device.wallet.status()).toMatchObject({ epoch: times + 1 });
    expect(await signs(device, publicKey)).toBe(true);
  });
});
