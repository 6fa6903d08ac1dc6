import type { Work } from './work.ts';

/** One run of both parties in this process. */
export interface Run {
  /** Result bits of each party. */
  readonly results: readonly (readonly number[])[];
  /** Payload bytes of all messages, both ways. */
  readonly bytes: number;
}

/** Something that computes a work's function of two private inputs. */
export interface Contestant {
  /** Whatever is done once for a circuit. */
  prepare(work: Work): Promise<Computation>;
}

/**
 * Sets up one run on inputs of 32 bytes, as far as the API lets that be done before.
 * @returns what starts it, which is what is timed
 */
export type Computation = (a: Uint8Array, b: Uint8Array) => () => Promise<Run>;
