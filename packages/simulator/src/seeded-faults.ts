import type { Actor, ActorRole } from './actor.ts';
import type { Faults, FrameFate, MessageFate, TransactionFate } from './faults.ts';
import type { Changes } from './store.ts';
import type { Tape } from './tape.ts';
import type { World } from './world.ts';

/** Kinds of faults, and how likely each is where it could strike. */
const RATES = {
  drop: 0.05,
  duplicate: 0.1,
  late: 0.05,
  broken: 0.05,
  truncate: 0.05,
  flip: 0.05,
  'cut off': 0.03,
  'lost write': 0.03,
  'unheard write': 0.03,
  crash: 0.003,
  evict: 0.005,
  clock: 0.003,
} as const;

export type FaultKind = keyof typeof RATES;
export const FAULT_KINDS = Object.keys(RATES) as readonly FaultKind[];

/** Largest step of a clock, well inside the tolerance between any two of them. */
export const LARGEST_CLOCK_STEP_MS = 12_000;

const CLOCKS: readonly ActorRole[] = ['client', 'router', 'deriver-a', 'deriver-b', 'signing-worker'];

/** Faults as a tape has them, of a few kinds per run and not without end. */
export class SeededFaults implements Faults {
  readonly #kinds: ReadonlySet<FaultKind>;
  readonly #tape: Tape;
  readonly #struck: (kind: FaultKind) => void;
  #left: number;

  /** @param kinds instead of those that the tape chooses */
  constructor(tape: Tape, kinds: readonly FaultKind[] | undefined, struck: (kind: FaultKind) => void) {
    this.#tape = tape;
    this.#struck = struck;
    const few = (): readonly FaultKind[] => Array.from({ length: 1 + tape.below(3) }, () => tape.pick(FAULT_KINDS));
    this.#kinds = new Set(kinds ?? (tape.chance(0.1) ? FAULT_KINDS : few()));
    this.#left = 1 + tape.below(12);
  }

  #strikes(kind: FaultKind): boolean {
    if (!this.#kinds.has(kind) || this.#left === 0 || !this.#tape.chance(RATES[kind])) return false;
    this.#left--;
    this.#struck(kind);
    return true;
  }

  #delayMs(): number {
    return this.#strikes('late') ? this.#tape.below(40_000) : 1 + this.#tape.below(40);
  }

  message(bytes: Uint8Array): MessageFate {
    const broken = this.#strikes('broken');
    const delaysMs = this.#strikes('drop') ? [] : [this.#delayMs()];
    if (this.#strikes('duplicate')) delaysMs.push(this.#delayMs());
    return { broken, delaysMs, bytes: this.#damaged(bytes) };
  }

  frame(frame: Uint8Array): FrameFate {
    const delayMs = this.#delayMs();
    if (this.#strikes('cut off')) return { delayMs, frame: undefined };
    return { delayMs, frame: this.#damaged(frame) };
  }

  #damaged(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    if (this.#strikes('truncate')) return bytes.slice(0, this.#tape.below(bytes.length));
    if (!this.#strikes('flip')) return bytes;
    const copy = bytes.slice();
    const at = this.#tape.below(bytes.length);
    copy[at] = (copy[at] as number) ^ (1 << this.#tape.below(8));
    return copy;
  }

  transaction(_: Actor, changes: Changes): TransactionFate {
    if (changes.size === 0) return 'kept';
    if (this.#strikes('lost write')) return 'lost-unheard';
    return this.#strikes('unheard write') ? 'kept-unheard' : 'kept';
  }

  disturb(world: World): void {
    if (this.#strikes('crash')) world.crash(this.#tape.pick([...world.objects.all]), 'a fault');
    if (this.#strikes('evict')) {
      const actor = this.#tape.pick([...world.objects.all]);
      if (actor.role !== 'client' && actor.evict()) world.trace(actor.name, 'is evicted');
    }
    if (this.#strikes('clock')) {
      const aheadMs = this.#tape.below(2 * LARGEST_CLOCK_STEP_MS + 1) - LARGEST_CLOCK_STEP_MS;
      world.setClock(this.#tape.pick(CLOCKS), aheadMs);
    }
  }
}
