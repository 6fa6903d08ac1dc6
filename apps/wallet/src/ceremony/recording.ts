import type { CeremonyAnswer } from '@streaming-yao/wire';
import type { Exchange } from '../exchanges.ts';

export const ACTIONS = [
  'create',
  'sign',
  'refresh',
  'approve',
  'accept',
  'recover',
  'export',
  'resume',
  'credentials',
  'devices',
  'audit',
] as const;
/** What a person asked the wallet to do. */
export type Action = (typeof ACTIONS)[number];

/** One action, with the exchanges that it cost. */
export interface Recording {
  readonly number: number;
  readonly action: Action;
  readonly exchanges: readonly Exchange[];
  readonly outcome: 'running' | 'done' | 'failed';
}

/** The exchange of a recording that was a ceremony, and what its answer told. */
export function ceremonyIn({
  exchanges,
}: Recording): { readonly exchange: Exchange; readonly answer: CeremonyAnswer } | undefined {
  const exchange = exchanges.findLast(({ ceremony }) => ceremony !== undefined);
  return exchange?.ceremony && { exchange, answer: exchange.ceremony };
}

/** Keeps what this tab has measured since it was opened, newest first. */
export class Recordings {
  readonly #kept: Recording[] = [];
  readonly #changed: () => void;
  #count = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get all(): readonly Recording[] {
    return this.#kept;
  }

  begin(action: Action): void {
    this.#kept.unshift({ number: ++this.#count, action, exchanges: [], outcome: 'running' });
    this.#kept.splice(LONGEST);
    this.#changed();
  }

  note(exchange: Exchange): void {
    const [newest, ...rest] = this.#kept;
    if (newest?.outcome !== 'running') return;
    this.#kept.splice(0, LONGEST, { ...newest, exchanges: [...newest.exchanges, exchange] }, ...rest);
    this.#changed();
  }

  end(outcome: 'done' | 'failed'): void {
    const [newest, ...rest] = this.#kept;
    if (newest?.outcome !== 'running') return;
    this.#kept.splice(0, LONGEST, { ...newest, outcome }, ...rest);
    this.#changed();
  }
}

const LONGEST = 20;
