import { PROFILES } from '@streaming-yao/wire';
import { DelayLine } from './delay-line.ts';
import { exact, type Figure, type Progress, summarize, timed } from './figure.ts';
import { device, newWalletId } from './stack.ts';
import { withStack } from './with-stack.ts';

/** One way, in milliseconds. */
const DELAYS = [0, 5, 20, 80];
const ROUNDS = 15;
const WARM_UP = 3;

/** How the line between the Derivers shapes a ceremony. */
export async function transportFigures(progress: Progress): Promise<readonly Figure[]> {
  return roundTrips(progress);
}

/** Refreshes over a line that delays what A and B send each other, and nothing else. */
async function roundTrips(progress: Progress): Promise<readonly Figure[]> {
  let line: DelayLine | undefined;
  const between = async (caller: string, _: string, port: number): Promise<number> => {
    if (caller !== 'deriver-a') return port;
    line = await DelayLine.open(port);
    return line.port;
  };
  try {
    return await withStack({ profile: PROFILES[1], between }, async (stack) => {
      const wallet = device(stack, newWalletId());
      await wallet.register();
      const figures: Figure[] = [];
      for (const delayMs of DELAYS) {
        progress(`transport: ${ROUNDS} refreshes with ${delayMs} ms each way between the Derivers`);
        if (line) line.delayMs = delayMs;
        const samples = await timed(ROUNDS, WARM_UP, () => wallet.refresh());
        figures.push(summarize(`refresh_ms_p50_delay_${delayMs}`, 'ms', samples));
      }
      return [
        ...figures,
        exact('ab_round_trips', '', slopeOf(figures.map(({ value }, i) => [2 * (DELAYS[i] ?? 0), value])), ROUNDS),
      ];
    });
  } finally {
    line?.close();
  }
}

/** Least squares: milliseconds of a ceremony per millisecond of a round trip. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const covariance = mean(points.map(([at, value]) => (at - x) * (value - y)));
  return covariance / mean(points.map(([at]) => (at - x) ** 2));
}
