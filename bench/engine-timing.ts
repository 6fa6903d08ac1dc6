import { ed25519 } from '@noble/curves/ed25519.js';
import { SecretBytes } from '@streaming-yao/core';
import { decodeScalar } from '@streaming-yao/group';
import { loadGroup } from '@streaming-yao/group/node';
import { evaluatorOf, garblerOf, random, type Secrets } from './engine-parties.ts';
import { elapsed, exact, type Figure, print } from './figure.ts';
import { type Classes, largestT } from './welch.ts';

const SAMPLES = 10_000;
const WARM_UP = 500;
/** Bytes of the tables in one sample: 512 gates. */
const TABLE_BYTES = 16_384;

interface Operation<Input> {
  readonly id: string;
  readonly samples?: number;
  /** The class of one value: the simplest that there is. */
  readonly fixed: Uint8Array;
  /** One of the class of random values. */
  draw(): Uint8Array;
  /** Off the clock. */
  prepare(bytes: Uint8Array): Input;
  run(input: Input): void;
}

/** Times the operation with both classes in random order. All that is not timed is the same for both. */
function timing<Input>({ id, samples = SAMPLES, fixed, draw, prepare, run }: Operation<Input>): Figure {
  const classes = { fixed: [] as number[], random: [] as number[] } satisfies Classes;
  for (let sample = -WARM_UP; sample < samples; sample++) {
    const drawn = draw();
    const kind = (random(1)[0] as number) & 1 ? 'random' : 'fixed';
    const input = prepare((kind === 'random' ? drawn : fixed).slice());
    const time = elapsed(() => run(input));
    if (sample >= 0) classes[kind].push(time);
  }
  return exact(id, 't', largestT(classes), samples);
}

function secretsOf(bytes: Uint8Array): Secrets {
  const delta = bytes.slice(32, 48);
  delta[0] = (delta[0] as number) | 1;
  return {
    gateKey: SecretBytes.own(bytes.slice(0, 32)),
    delta: SecretBytes.own(delta),
    labels: SecretBytes.own(bytes.slice(48)),
  };
}

function engineTimings(): Figure[] {
  const bytes = 32 + 16 + 4096;
  const common = { fixed: new Uint8Array(bytes), draw: () => random(bytes), prepare: secretsOf };
  const tables = random(TABLE_BYTES);
  const garbled = new Uint8Array(TABLE_BYTES);
  return [
    timing({
      ...common,
      id: 'timing_t_garble',
      run: (secrets) => {
        const garbler = garblerOf(secrets);
        garbler.nextTables(garbled);
        garbler.wipe();
      },
    }),
    timing({
      ...common,
      id: 'timing_t_evaluate',
      run: (secrets) => {
        const evaluator = evaluatorOf(secrets);
        evaluator.acceptTables(tables);
        evaluator.wipe();
      },
    }),
  ];
}

function scalarTimings(): Figure[] {
  const group = loadGroup();
  const fixed = new Uint8Array(32);
  fixed[0] = 1;
  const common = { fixed, draw: () => group.randomScalar(random).use((bytes) => bytes.slice()) };
  return [
    timing({
      ...common,
      id: 'timing_t_base_multiply',
      prepare: (bytes) => SecretBytes.own(bytes),
      run: (scalar) => group.baseMultiply(scalar),
    }),
    // What a difference looks like: a multiplication that is not made for secrets.
    timing({
      ...common,
      id: 'timing_t_planted',
      samples: 1_000,
      prepare: decodeScalar,
      run: (scalar) => ed25519.Point.BASE.multiplyUnsafe(scalar),
    }),
  ];
}

/** Whether time tells a fixed secret from a random one: Welch's t, where beyond 4.5 means yes. */
export default function benchTiming(): readonly Figure[] {
  return [...engineTimings(), ...scalarTimings()];
}

if (import.meta.main) print(benchTiming());
