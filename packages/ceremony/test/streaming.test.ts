import { type Engine, TABLE_BYTES } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { type Actor, refresh, registeredBeginning, Tape, World } from '@streaming-yao/simulator';
import { FRAME_KINDS, type FrameKind } from '@streaming-yao/wire';
import { expect, test } from 'vitest';

/** Virtual milliseconds that a frame of tables takes to garble, any frame to travel, and whatever B says to arrive. */
const [GARBLE_MS, TRAVEL_MS, SLOW_MS] = [10, 5, 2_000];

const kindOf = (frame: Uint8Array): FrameKind => FRAME_KINDS[frame[1] as number] as FrameKind;

test('B has the first tables before A has garbled half of the gates, however slowly B answers', async () => {
  const { wallet, ...beginning } = await registeredBeginning();
  const kernel = loadKernel();
  let garbledBytes = 0;
  const garbledBefore: number[] = [];
  const engine: Engine = {
    ...kernel,
    garbler: (options) => {
      const party = kernel.garbler(options);
      return {
        nextTables: (into) => {
          const { clock } = world.schedule;
          clock.passUntil(clock.nowMs + GARBLE_MS);
          const written = party.nextTables(into);
          garbledBytes += written;
          return written;
        },
        outputZeroLabels: () => party.outputZeroLabels(),
        wipe: () => party.wipe(),
      };
    },
  };
  const frameArrived = ({ actor }: { readonly actor: Actor }, frame: Uint8Array): void => {
    if (actor.role === 'deriver-b' && kindOf(frame) === 'tables') garbledBefore.push(garbledBytes);
  };
  const world = new World({
    ...beginning,
    engine,
    group: loadGroup(),
    tape: new Tape('streaming'),
    observers: [{ frameArrived }],
  });
  const byB: readonly FrameKind[] = ['accept', 'credit', 'receipt'];
  world.faults = {
    ...world.faults,
    frame: (frame) => ({ frame, delayMs: byB.includes(kindOf(frame)) ? SLOW_MS : TRAVEL_MS }),
  };
  const { actor, surroundings } = world.client(wallet.device);
  expect(await world.settle(world.start(actor, 'refresh', refresh(surroundings, wallet)))).toHaveProperty('value');

  expect(garbledBefore).toHaveLength(27);
  expect(garbledBefore[0]).toBeLessThan(TABLE_BYTES.activation / 2);
  expect(garbledBefore.at(-2)).toBeGreaterThan(garbledBefore[0] as number);
});
