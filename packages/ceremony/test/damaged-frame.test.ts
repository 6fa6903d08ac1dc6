import { fromHex, YaoError } from '@streaming-yao/core';
import { type Exchange, openScene, recallLane, refresh, registeredBeginning, type Scene, sign } from '@streaming-yao/simulator';
import { type DeriverRole, FRAME_HEADER_BYTES, FRAME_KINDS, FRAME_TAG_BYTES, type FrameKind } from '@streaming-yao/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lane } from '../src/client.ts';
import { readCeremony } from '../src/deriver-record.ts';

interface PassingFrame {
  readonly kind: FrameKind;
  /** Among the frames of its kind. */
  readonly nth: number;
  readonly bytes: number;
}

interface Refreshed {
  readonly scene: Scene;
  readonly frames: readonly PassingFrame[];
  /** What the client's refresh came to: a code of an error, or `done`. */
  readonly outcome: string;
  /** The same for the last of each program of a Deriver, by role and name. */
  readonly ends: Readonly<Record<string, string>>;
  /** What the Derivers and the SigningWorker answered. */
  readonly answered: readonly string[];
}

const codeOf = (error: unknown): string => (error instanceof YaoError ? error.code : String(error));

/** A refresh of a registered key, every frame handed to `damage` on its way. */
async function refreshed(damage: (frame: Uint8Array, passing: PassingFrame) => Uint8Array): Promise<Refreshed> {
  const frames: PassingFrame[] = [];
  const ends: Record<string, string> = {};
  const exchanges: Exchange[] = [];
  const scene = openScene('damaged frame', {
    beginning: await registeredBeginning(),
    observers: [
      {
        exchanged: (exchange) => void exchanges.push(exchange),
        taskEnded: ({ actor, name }, end) => {
          ends[`${actor.role} ${name}`] = 'error' in end ? codeOf(end.error) : 'done';
        },
      },
    ],
  });
  const { world, run, surroundings, wallet } = scene;
  const calm = world.faults;
  world.faults = {
    ...calm,
    frame: (frame) => {
      const kind = FRAME_KINDS[frame[1] as number] as FrameKind;
      const passing = { kind, nth: 1 + frames.filter((other) => other.kind === kind).length, bytes: frame.length };
      frames.push(passing);
      return { ...calm.frame(frame), frame: damage(frame, passing) };
    },
  };
  const outcome = await run('refresh', refresh(surroundings, wallet)).then(() => 'done', codeOf);
  await world.drain(1_000);
  world.faults = calm;
  const answered = exchanges
    .filter(({ path, answer }) => ['/ceremony', '/activate'].includes(path) && answer !== undefined)
    .map(({ role, path }) => `${role} ${path}`);
  return { scene, frames, outcome, ends, answered };
}

/** A byte of header, tag or payload, another one at each turn. */
function placeIn({ bytes }: PassingFrame, turn: number): number {
  if (turn % 3 === 0) return (turn / 3) % FRAME_HEADER_BYTES;
  if (turn % 3 === 1) return bytes - 1 - (turn % FRAME_TAG_BYTES);
  return FRAME_HEADER_BYTES + ((turn * 40_503) % (bytes - FRAME_HEADER_BYTES - FRAME_TAG_BYTES));
}

const flipped = (frame: Uint8Array, place: number): Uint8Array => frame.with(place, (frame[place] as number) ^ 0x10);

/** States of all ceremonies of a Deriver: that which registered the key, and the refresh. */
function statesAt({ world }: Scene, role: DeriverRole): readonly (string | undefined)[] {
  const store = world.objects.of(role, 'shard-0').store;
  const ids = [...(store?.entries() ?? [])].filter(({ table }) => table === 'ceremony').map(({ key }) => fromHex(key));
  return ids.map((id) => store?.decide((tx) => readCeremony(tx, id)?.state).result).toSorted();
}

async function signsAtEpoch({ run, surroundings, wallet }: Scene): Promise<number> {
  const lane = (await run('lane', recallLane(wallet.walletId))) as Lane;
  await run('sign', sign(surroundings, lane, new Uint8Array(3)));
  return lane.epoch;
}

describe('one bit changed', () => {
  let frames: readonly PassingFrame[];
  beforeAll(async () => {
    const whole = await refreshed((frame) => frame);
    expect([whole.outcome, await signsAtEpoch(whole.scene)]).toEqual(['done', 2]);
    frames = whole.frames;
  });

  const damagedIn = (wanted: PassingFrame, place: number): Promise<Refreshed> =>
    refreshed((frame, { kind, nth }) => (kind === wanted.kind && nth === wanted.nth ? flipped(frame, place) : frame));

  const each = (...kinds: readonly FrameKind[]) => [...frames.filter(({ kind }) => kinds.includes(kind)).entries()];

  test('in any frame of A’s: both end, nothing comes out, and the old epoch signs', async () => {
    expect(each('tables', 'pads', 'output')).toHaveLength(29);
    for (const [turn, frame] of each('tables', 'pads', 'output')) {
      const { scene, outcome, ends, answered } = await damagedIn(frame, placeIn(frame, turn));
      const { 'deriver-a /ceremony': a, 'deriver-b /ceremony': b } = ends;
      expect({ frame, codes: [outcome, a, b], answered }).toEqual({ frame, codes: Array(3).fill('frame_invalid'), answered: [] });
      for (const role of ['deriver-a', 'deriver-b'] as const) expect(statesAt(scene, role)).toEqual(['burned', 'completed']);
      expect(await signsAtEpoch(scene)).toBe(1);
    }
  });

  test('in the opening’s nonce or tag: the same', async () => {
    for (const [, frame] of each('open')) {
      for (const back of [1, FRAME_TAG_BYTES, FRAME_TAG_BYTES + 1, FRAME_TAG_BYTES + 32]) {
        const { scene, outcome, answered } = await damagedIn(frame, frame.bytes - back);
        expect({ back, outcome, answered }).toEqual({ back, outcome: 'frame_invalid', answered: [] });
        expect(await signsAtEpoch(scene)).toBe(1);
      }
    }
  });

  test('in any frame of B’s: A ends without an answer, and the old epoch signs', async () => {
    expect(each('accept', 'credit', 'receipt')).toHaveLength(4);
    for (const [turn, frame] of each('accept', 'credit', 'receipt')) {
      const { scene, outcome, ends, answered } = await damagedIn(frame, placeIn(frame, turn));
      const { 'deriver-a /ceremony': a } = ends;
      // B may have answered before A sees it; without A nobody takes B's package.
      const withoutB = answered.filter((answer) => answer !== 'deriver-b /ceremony');
      expect({ frame, outcome, a, withoutB }).toEqual({ frame, outcome: 'frame_invalid', a: 'frame_invalid', withoutB: [] });
      expect(await signsAtEpoch(scene)).toBe(1);
    }
  });
});
