import type { Chance } from './chance.ts';

/** Code that takes input from outside, under every input that the fuzzer can think of. */
export interface Target {
  readonly name: string;
  readonly about: string;
  /** Longest input that is tried: the code's own limit and some more. */
  readonly maxBytes: number;
  /** How many bytes a run may take from the heap. */
  readonly allocatedBytes: number;
  /** How many inputs share one look at the coverage, which takes up to a tenth of a second. */
  readonly batch: number;
  /** Inputs to begin with. */
  seeds(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Changes an input in a way that suits its form; else bytes are changed. */
  mutate?(input: Uint8Array, chance: Chance): Uint8Array;
  /** @throws Finding when a property does not hold */
  run(input: Uint8Array): void | Promise<void>;
}
