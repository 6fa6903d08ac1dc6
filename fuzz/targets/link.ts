import { createHash, createHmac } from 'node:crypto';
import type { Effect, Program } from '@streaming-yao/ceremony/program';
import { concatBytes, fromHex, LIMITS, SecretBytes } from '@streaming-yao/core';
import { exportKey, HANDLERS, openScene, type RoleHandlers, refresh, registeredBeginning } from '@streaming-yao/simulator';
import { FRAME_KINDS, FRAME_OVERHEAD_BYTES, type FrameHashing, type FrameKind, FrameLine, payloadOf } from '@streaming-yao/wire';
import { Finding, refusal } from '../finding.ts';
import type { Target } from '../target.ts';

const join = (parts: readonly Uint8Array[]): Uint8Array => concatBytes(...parts);

/** Frames under a key that everybody has: who lies knows the keys, and the tag must not be what stops him. */
const OPEN_HASHING: FrameHashing = {
  sha256: (...parts) => Uint8Array.from(createHash('sha256').update(join(parts)).digest()),
  hmacSha256: (_key, ...parts) => Uint8Array.from(createHmac('sha256', 'open').update(join(parts)).digest()),
};

type Side = 'deriver-a' | 'deriver-b';

interface Sealed {
  readonly kind: FrameKind;
  readonly payload: Uint8Array;
  readonly final: boolean;
}

/** What happens to the frame of a number; the bytes come from the fuzzer. */
interface Edit {
  readonly frame: number;
  readonly how: number;
  readonly high: number;
  readonly low: number;
}

const EDIT_BYTES = 4;

function editsOf(input: Uint8Array): readonly Edit[] {
  const edits: Edit[] = [];
  for (let at = 2; at + EDIT_BYTES <= input.length; at += EDIT_BYTES) {
    const [frame = 0, how = 0, high = 0, low = 0] = input.subarray(at, at + EDIT_BYTES);
    edits.push({ frame: frame % 40, how, high, low });
  }
  return edits;
}

/** In the place of one. */
const MOST_FRAMES = 48;
const LARGEST_PAYLOAD = LIMITS.frameBytes - FRAME_OVERHEAD_BYTES;

/** What leaves in a frame's place, by the one who lies. */
function edited(frame: Sealed, { how, high, low }: Edit, earlier: readonly Sealed[]): readonly Sealed[] {
  const { payload } = frame;
  const at = high * 256 + low;
  switch (how % 10) {
    case 0:
      return [{ ...frame, payload: payload.map((byte, i) => (i === at % payload.length ? byte ^ (1 << (low & 7)) : byte)) }];
    case 1:
      return [{ ...frame, payload: payload.slice(0, at % (payload.length + 1)) }];
    case 2:
      return [{ ...frame, payload: concatBytes(payload, new Uint8Array(at)).slice(0, LARGEST_PAYLOAD) }];
    case 3:
      return [frame, frame];
    case 4:
      return [];
    case 5:
      return [{ ...frame, kind: FRAME_KINDS[low % FRAME_KINDS.length] as FrameKind }];
    case 6:
      return [{ ...frame, final: !frame.final }];
    case 7:
      return [earlier[low % (earlier.length || 1)] ?? frame];
    case 8:
      return [{ kind: FRAME_KINDS[high % FRAME_KINDS.length] as FrameKind, payload: new Uint8Array(low), final: true }, frame];
    default:
      return Array.from({ length: 1 + (low % 24) }, () => frame);
  }
}

/** One direction of a ceremony, told otherwise than its program has it. */
class Liar {
  readonly #edits: readonly Edit[];
  readonly #direction: 'to-evaluator' | 'to-garbler';
  readonly #earlier: Sealed[] = [];
  #line: FrameLine | undefined;

  constructor(side: Side, edits: readonly Edit[]) {
    this.#edits = edits;
    this.#direction = side === 'deriver-a' ? 'to-evaluator' : 'to-garbler';
  }

  /** Passes on the program's effects, and frames as edited. */
  *tell<T>(program: Program<T>): Program<T> {
    let step = program.next();
    while (!step.done) {
      try {
        const effect = step.value;
        if (effect.kind === 'connect' || effect.kind === 'accept') this.#begin(effect.ceremonyId);
        let result: unknown;
        for (const told of this.#told(effect)) result = yield told;
        step = program.next(result);
      } catch (error) {
        step = program.throw(error);
      }
    }
    return step.value;
  }

  #begin(ceremonyId: string): void {
    this.#earlier.length = 0;
    this.#line = new FrameLine(OPEN_HASHING, SecretBytes.own(new Uint8Array(32)), this.#direction, fromHex(ceremonyId));
  }

  #told(effect: Effect): readonly Effect[] {
    // The stream is opened with one frame, whatever is told in its place.
    if (effect.kind === 'connect') return [{ ...effect, opening: this.#lies(effect.opening)[0] ?? effect.opening }];
    if (effect.kind === 'all') return [{ ...effect, programs: effect.programs.map((program) => this.tell(program)) }];
    return effect.kind === 'send' ? this.#lies(effect.frame).map((frame) => ({ ...effect, frame })) : [effect];
  }

  #lies(frame: Uint8Array): readonly Uint8Array[] {
    const line = this.#line;
    if (!line) return [frame];
    const kind = FRAME_KINDS[frame[1] as number] as FrameKind;
    const honest: Sealed = { kind, payload: payloadOf(frame).slice(), final: frame[6] === 1 };
    const edits = this.#edits.filter((edit) => edit.frame === this.#earlier.length);
    let telling: readonly Sealed[] = [honest];
    for (const edit of edits) telling = telling.flatMap((sealed) => edited(sealed, edit, this.#earlier)).slice(0, MOST_FRAMES);
    this.#earlier.push(honest);
    return telling.map((sealed) => line.seal(sealed.kind, sealed.payload, sealed.final));
  }
}

/** The Derivers' programs with open frames, one of them lying. */
export function derivers(liar: Side, edits: readonly Edit[]): Partial<Record<Side, RoleHandlers>> {
  const of = (side: Side): RoleHandlers => {
    const honest = HANDLERS[side]['/ceremony'] as RoleHandlers[string];
    const program: typeof honest.program = (s, body) => {
      const given = { ...s, hashing: OPEN_HASHING };
      const running = honest.program(given, body);
      return side === liar ? new Liar(side, edits).tell(running) : running;
    };
    return { ...HANDLERS[side], '/ceremony': { ...honest, program } };
  };
  return { 'deriver-a': of('deriver-a'), 'deriver-b': of('deriver-b') };
}

/** More than any ceremony takes, deadlines and all. */
const MOST_STEPS = 5_000;

/** @param handlers others than the Derivers' own, where a test plants a bug */
export const linkTarget = (handlers: typeof derivers = derivers): Target => ({
  name: 'link',
  about: 'whole ceremonies in which one Deriver changes, drops, repeats and invents frames under the right keys',
  maxBytes: 2 + 8 * EDIT_BYTES,
  batch: 8,
  allocatedBytes: 128 * 1024 * 1024,
  seeds: () => [0, 1].flatMap((operation) => [0, 1].map((side) => Uint8Array.of(operation, side))),
  run: async (input) => {
    const [operation = 0, side = 0] = input;
    const liar = side % 2 === 0 ? 'deriver-a' : 'deriver-b';
    const scene = openScene('fuzz', {
      beginning: await registeredBeginning(),
      handlers: handlers(liar, editsOf(input)),
      observers: [
        {
          taskEnded: (_, outcome) => void ('error' in outcome && refusal(outcome.error)),
          stepped: ({ schedule }) => {
            if (schedule.steps > MOST_STEPS) throw new Finding('hang', `a ceremony takes more than ${MOST_STEPS} steps`);
          },
        },
      ],
    });
    const { surroundings, wallet } = scene;
    const work: Program<unknown> = operation % 2 === 0 ? refresh(surroundings, wallet) : exportKey(surroundings, wallet);
    try {
      await scene.run('work', work);
    } catch (error) {
      refusal(error);
    }
  },
});
