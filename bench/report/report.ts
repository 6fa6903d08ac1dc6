import type { Passage, Role } from '@streaming-yao/wire';
import type { Figure } from '../figure.ts';

/** One message at one role, by the clock of the machine that all roles ran on. */
export interface Stamp extends Passage {
  readonly role: Role;
  /** Milliseconds since the first message of the ceremony. */
  readonly atMs: number;
}

/** All measurements: what docs/benchmarks holds as data, and all its pictures are drawn from. */
export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  /** Which part is of another run than the rest, where not all is of one. */
  readonly remark?: string;
  readonly figures: readonly (Figure & { readonly target: number | null; readonly stretch: number | null })[];
  /** The messages of one registration, in order of time. */
  readonly ceremony: readonly Stamp[];
}

/** @throws Error when it was not measured */
export function figureOf({ figures }: Report, id: string): Report['figures'][number] {
  const found = figures.find((figure) => figure.id === id);
  if (found) return found;
  throw new Error(`${id} was not measured; run all parts of the bench`);
}
