/** One measured figure; `value` is the median where there are several samples. */
export interface Figure {
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly n: number;
  readonly p95?: number;
  readonly p99?: number;
}

export type Progress = (line: string) => void;

const round = (value: number): number => (value >= 100 ? Math.round(value * 10) / 10 : Math.round(value * 1000) / 1000);

/** The share-quantile of ascending samples. */
export function quantile(ascending: readonly number[], share: number): number {
  const at = ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))];
  if (at === undefined) throw new RangeError('no samples');
  return at;
}

/** Median, p95 and, from 100 samples on, p99. */
export function summarize(id: string, unit: string, samples: readonly number[]): Figure {
  const ascending = samples.toSorted((left, right) => left - right);
  return {
    id,
    value: round(quantile(ascending, 0.5)),
    unit,
    n: samples.length,
    p95: round(quantile(ascending, 0.95)),
    ...(samples.length >= 100 && { p99: round(quantile(ascending, 0.99)) }),
  };
}

/** A figure that is exact, or a total divided by a count. */
export function exact(id: string, unit: string, value: number, n = 1): Figure {
  return { id, value: round(value), unit, n };
}

/** Milliseconds of `work`, for measurements that take turns with others. */
export function elapsed(work: () => unknown): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

/** Milliseconds of each of `rounds` runs, after `warmUp` runs that do not count. */
export async function timed(rounds: number, warmUp: number, run: (round: number) => unknown): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let i = -warmUp; i < rounds; i++) {
    const before = performance.now();
    await run(i);
    if (i >= 0) samples.push(performance.now() - before);
  }
  return samples;
}

/** Lists figures of one file that is run by itself. */
export function print(figures: readonly Figure[]): void {
  for (const { id, value, unit, n, p95 } of figures) {
    const spread = p95 === undefined ? '' : `   p95 ${p95}   n ${n}`;
    console.log(`${id.padEnd(30)} ${String(value).padStart(12)} ${unit.padEnd(6)}${spread}`);
  }
}
