import { SecretBytes } from '@streaming-yao/core';
import {
  type Circuit,
  CircuitBuilder,
  FREE_BITS,
  NetlistEvaluator,
  NetlistGarbler,
  sha512FirstHalf,
} from '@streaming-yao/engine';
import { emptyFrames, evaluate, freshSecrets, garble, random } from './engine-parties.ts';
import { exact, type Figure, print, summarize } from './figure.ts';

/** So many times the gates of one activation. */
const MULTIPLES = [1, 2, 4] as const;
type Multiple = (typeof MULTIPLES)[number];

const WORKS = ['garble', 'evaluate'] as const;
type Work = (typeof WORKS)[number];

type Contender = Readonly<Record<Work, (multiple: Multiple) => void>>;

/** The kernel's one circuit, as often as it takes. */
function kernel(): Contender {
  const [secrets, frames] = [freshSecrets(), emptyFrames()];
  const times = (multiple: Multiple, work: () => void): void => {
    for (let i = 0; i < multiple; i++) work();
  };
  return {
    garble: (multiple) => times(multiple, () => garble(secrets, frames)),
    evaluate: (multiple) => times(multiple, () => evaluate(secrets, frames)),
  };
}

/** One circuit that hashes so many seeds. */
function circuitOf(multiple: Multiple): Circuit {
  const builder = new CircuitBuilder();
  const seeds = Array.from({ length: multiple }, () => builder.input(256));
  return builder.finish(seeds.flatMap((seed) => sha512FirstHalf(builder, seed).slice(FREE_BITS.first, FREE_BITS.end)));
}

function netlist(): Contender {
  const { gateKey, delta } = freshSecrets();
  const works = MULTIPLES.map((multiple) => {
    const labels = SecretBytes.own(random(4_096 * multiple));
    const frames = Array.from({ length: multiple }, emptyFrames).flat();
    return [multiple, { circuit: circuitOf(multiple), labels, frames }] as const;
  });
  const workOf = (multiple: Multiple) => new Map(works).get(multiple) as (typeof works)[number][1];
  return {
    garble: (multiple) => {
      const { circuit, labels, frames } = workOf(multiple);
      const garbler = new NetlistGarbler({ circuit, gateKey, delta, inputZeroLabels: labels });
      for (const frame of frames) garbler.nextTables(frame);
      garbler.outputZeroLabels().wipe();
      garbler.wipe();
    },
    evaluate: (multiple) => {
      const { circuit, labels, frames } = workOf(multiple);
      const evaluator = new NetlistEvaluator({ circuit, gateKey, inputLabels: labels });
      for (const frame of frames) evaluator.acceptTables(frame);
      evaluator.outputLabels().wipe();
      evaluator.wipe();
    },
  };
}

const LARGEST = 4;

/** Milliseconds of CPU: what else runs on the machine would count as growth otherwise. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Every size takes a turn of the same work, 1x four times and 4x once, each round in another order: so that all meet the same machine.
 * @returns time(nx) / (n * time(1x)), 1 being linear in the gates
 */
function scaling(prefix: string, rounds: number, contender: Contender): readonly Figure[] {
  const times = new Map<string, number[]>();
  for (const work of WORKS) for (const multiple of MULTIPLES) contender[work](multiple);
  for (let round = 0; round < rounds; round++) {
    const order = MULTIPLES.map((_, i) => MULTIPLES[(i + round) % MULTIPLES.length] as Multiple);
    for (const work of WORKS) {
      for (const multiple of order) {
        const turn = (): void => {
          for (let done = 0; done < LARGEST; done += multiple) contender[work](multiple);
        };
        times.set(`${work}${multiple}`, [...(times.get(`${work}${multiple}`) ?? []), cpuMs(turn)]);
      }
    }
  }
  const median = (work: Work, multiple: Multiple): number => summarize('', '', times.get(`${work}${multiple}`) ?? []).value;
  return WORKS.flatMap((work) =>
    MULTIPLES.slice(1).map((multiple) =>
      exact(`${prefix}${work}_scaling_${multiple}x`, 'ratio', median(work, multiple) / median(work, 1), rounds),
    ),
  );
}

/** How time grows with the gates: kernel and netlist engine. */
export default function benchScaling(): readonly Figure[] {
  return [...scaling('', 60, kernel()), ...scaling('netlist_', 3, netlist())];
}

if (import.meta.main) print(benchScaling());
