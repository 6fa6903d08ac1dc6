/** Times of one operation with inputs of two classes. */
export interface Classes {
  readonly fixed: readonly number[];
  readonly random: readonly number[];
}

interface Moments {
  readonly mean: number;
  /** Variance of the mean. */
  readonly error: number;
}

function moments(samples: readonly number[]): Moments {
  const mean = samples.reduce((total, sample) => total + sample, 0) / samples.length;
  const squares = samples.reduce((total, sample) => total + (sample - mean) ** 2, 0);
  return { mean, error: squares / (samples.length - 1) / samples.length };
}

/** Welch's t of the difference of two means. */
export function welchT({ fixed, random }: Classes): number {
  const [left, right] = [moments(fixed), moments(random)];
  return (left.mean - right.mean) / Math.sqrt(left.error + right.error);
}

/** Shares of the fastest samples that are kept: what is slow is mostly the machine's doing. */
const CROPS = [1, 0.99, 0.95, 0.9, 0.75, 0.5];
/** Samples of a class below which a crop says nothing. */
const FEWEST = 30;

/**
 * The largest |t| over several crops, each at a threshold that both classes share (Reparaz, Balasch, Verbauwhede, "Dude, is my
 * code constant time?", DATE 2017). Above 4.5 the classes differ in time; above 10 beyond doubt.
 */
export function largestT({ fixed, random }: Classes): number {
  const ascending = [...fixed, ...random].sort((left, right) => left - right);
  const ts = CROPS.flatMap((share) => {
    const threshold = ascending[Math.ceil(share * ascending.length) - 1] ?? 0;
    const kept = [fixed, random].map((samples) => samples.filter((sample) => sample <= threshold));
    const [left = [], right = []] = kept;
    // Classes far apart lose one of them to the crop; the whole samples have told them apart then.
    return Math.min(left.length, right.length) < FEWEST ? [] : [Math.abs(welchT({ fixed: left, random: right }))];
  });
  return Math.max(...ts);
}
