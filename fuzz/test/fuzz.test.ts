import { concatBytes, type Message, schema } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { Chance } from '../chance.ts';
import type { Finding } from '../finding.ts';
import { fuzz } from '../fuzzer.ts';
import { derivers, linkTarget } from '../targets/link.ts';
import { binaryTarget, mutateJson, sorted } from '../targets/messages.ts';
import { TARGET_NAMES } from '../targets.ts';
import { fuzzWatched } from '../watched.ts';

/** Inputs beside seeds and corpus, where not a thousand. */
const RUNS: Readonly<Record<string, number>> = { config: 250, pairing: 60, sessions: 30, link: 8 };

describe('whatever comes from outside', () => {
  it.concurrent.each(TARGET_NAMES)('keeps every property: %s', async (target) => {
    const { finding, runs } = await fuzzWatched({ target, seed: 1, guided: false, runs: RUNS[target] ?? 1000 });
    const input = finding && Buffer.from(finding.input).toString('base64');
    expect({ input, what: finding?.finding.message }).toEqual({ input: undefined, what: undefined });
    expect(runs).toBeGreaterThan(8);
  });
});

/** A message of our own with a twist in its decoder; the wire's messages are not for planting bugs. */
const Sample = schema.message('streaming-yao/1 sample', { name: schema.bytesBetween(0, 200), count: schema.u16 });
type Sample = Parameters<typeof Sample.encode>[0];

async function found(decode: (bytes: Uint8Array) => Sample): Promise<Finding | undefined> {
  const twisted = { ...Sample, decode } as unknown as Message<unknown>;
  const sample = concatBytes(Uint8Array.of(0), Sample.encode({ name: Uint8Array.of(1, 2, 3), count: 4 }));
  const target = { ...binaryTarget(() => twisted), seeds: () => [sample] };
  const { finding } = await fuzz(target, { seed: 1, guided: true, corpus: [], goesOn: (runs) => runs < 2000 });
  return finding?.finding;
}

describe('a planted bug', () => {
  it('none: the honest decoder passes', async () => {
    expect(await found((bytes) => Sample.decode(bytes))).toBeUndefined();
  });

  it('that crashes is found', async () => {
    const crash = await found((bytes) => {
      const value = Sample.decode(bytes);
      if (value.count > 256) throw new TypeError('planted');
      return value;
    });
    expect(crash).toMatchObject({ property: 'crash', message: expect.stringContaining('planted') });
  });

  it('that accepts what it would write otherwise is found', async () => {
    const lenient = await found((bytes) =>
      Sample.decode(bytes.subarray(0, Sample.encode(Sample.decode(bytes.slice(0, 32))).length)),
    );
    expect(lenient).toMatchObject({ property: 'canonical' });
  });

  it('that allocates what a length promises is found', async () => {
    const greedy = await found((bytes) => {
      const promised = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      if (bytes.length > 27) new Uint8Array(promised.getUint32(23) & 0xfff_ffff);
      return Sample.decode(bytes);
    });
    expect(greedy).toMatchObject({ property: 'allocation' });
  });

  it('that never ends is found, with its input', async () => {
    const module = new URL('endless-target.ts', import.meta.url).href;
    const { finding } = await fuzzWatched({ target: 'endless', module, seed: 1, guided: true, runs: 1e6, hangMs: 2000 });
    expect(finding?.finding.property).toBe('hang');
    expect(finding?.input[0]).toBe(0);
  });

  it('in how a Deriver takes a frame is reached by a peer who lies', async () => {
    const planted: typeof derivers = (liar, edits) => {
      const honest = derivers(liar, edits);
      const handler = honest['deriver-b']?.['/ceremony'];
      if (!handler) throw new Error('Deriver B has ceremonies');
      const program: typeof handler.program = function* (s, body) {
        const running = handler.program(s, body);
        let step = running.next();
        while (!step.done) {
          const frame = yield step.value;
          if (frame instanceof Uint8Array && frame.length === 23) throw new TypeError('planted');
          step = running.next(frame);
        }
        return step.value;
      };
      return { ...honest, 'deriver-b': { ...honest['deriver-b'], '/ceremony': { ...handler, program } } };
    };
    // The third frame that leaves A is emptied.
    const emptied = Uint8Array.of(0, 0, 2, 1, 0, 0);
    const run = (handlers: typeof derivers) =>
      fuzz(linkTarget(handlers), { seed: 1, guided: true, corpus: [emptied], goesOn: () => false });
    expect((await run(derivers)).finding).toBeUndefined();
    expect((await run(planted)).finding?.finding).toMatchObject({
      property: 'crash',
      message: expect.stringContaining('planted'),
    });
  });
});

describe('the generator', () => {
  it('repeats itself with its seed, and changes JSON without changing the original', () => {
    const drawn = (seed: number) => Array.from(new Chance(seed).bytes(8));
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
    const json = { b: [1, { c: 'x' }], a: null };
    const before = JSON.stringify(json);
    const chance = new Chance(1);
    const changed = Array.from({ length: 50 }, () => JSON.stringify(mutateJson(json, chance)));
    expect(JSON.stringify(json)).toBe(before);
    expect(new Set(changed).size).toBeGreaterThan(20);
    expect(JSON.stringify(sorted(json))).toBe('{"a":null,"b":[1,{"c":"x"}]}');
  });
});
