import { createHash } from 'node:crypto';
import { nameOf } from './control.ts';
import { OPERATIONS } from './operations.ts';
import { type Point, WAYS, type Walk } from './walk.ts';

export const titleOf = ({ operation, step, way }: Point): string => `${operation.name}, ${way} ${nameOf(step)}`;

/** Every crash there is: of each step that a recorded run of each operation takes, in each way. */
export async function allPoints(walk: Walk): Promise<readonly Point[]> {
  const points: Point[] = [];
  for (const operation of OPERATIONS) {
    const steps = await walk.survey(operation);
    points.push(...WAYS.flatMap((way) => steps.map((step) => ({ operation, step, way }))));
  }
  return points;
}

/** An order that looks like chance and is the same every time. */
export function shuffled(points: readonly Point[], seed: string): readonly Point[] {
  const rank = (point: Point): string =>
    createHash('sha256')
      .update(`${seed} ${titleOf(point)}`)
      .digest('hex');
  const ranked = points.map((point) => ({ point, rank: rank(point) }));
  return ranked.toSorted((left, right) => (left.rank < right.rank ? -1 : 1)).map(({ point }) => point);
}

/**
 * A few points: kills of everybody and in every operation, and freezes, which take their time, of everybody.
 * Those come first that are the first in both respects.
 */
export function sample(points: readonly Point[], seed: string): readonly Point[] {
  const covered = new Set<string>();
  const uncovered = ({ operation, step, way }: Point): readonly string[] =>
    [`${way} ${step.actor}`, ...(way === 'kill' ? [operation.name] : [])].filter((each) => !covered.has(each));
  const order = shuffled(points, seed);
  return [2, 1].flatMap((news) =>
    order.filter((point) => {
      const covers = uncovered(point);
      for (const each of covers.length < news ? [] : covers) covered.add(each);
      return covers.length >= news;
    }),
  );
}
