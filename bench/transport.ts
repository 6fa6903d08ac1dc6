import { DelayLine } from './delay-line.ts';
import { exact, type Figure, type Progress, summarize, timed } from './figure.ts';
import { device, newWalletId } from './stack.ts';
import { addsUp, type JointAnswer, withBarePair } from './transport/bare-pair.ts';
import { withStack } from './with-stack.ts';

/** One way, in milliseconds. */
const DELAYS = [0, 5, 20, 80];
const ROUNDS = 15;
const WARM_UP = 3;

/** What may carry the frames, each with and without a turn of the event loop after a table frame. */
const TRANSPORTS = ['ws_binding', 'ws_public', 'http_stream', 'rpc_stream'].flatMap((name) => [
  { id: `transport_${name}_ms`, path: `/${name}?turn` },
  { id: `transport_${name}_no_turn_ms`, path: `/${name}` },
]);
const CEREMONIES = 100;
const DEADLINE_MS = 20_000;

/** How the line between the Derivers shapes a ceremony. */
export async function transportFigures(progress: Progress): Promise<readonly Figure[]> {
  return [...(await roundTrips(progress)), ...(await transports(progress))];
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
    return await withStack({ profile: 'two-operators', between }, async (stack) => {
      const wallet = device(stack, newWalletId());
      await wallet.register();
      const figures: Figure[] = [];
      // Other work on the machine only ever adds.
      const fastest: [number, number][] = [];
      for (const delayMs of DELAYS) {
        progress(`transport: ${ROUNDS} refreshes with ${delayMs} ms each way between the Derivers`);
        if (line) line.delayMs = delayMs;
        const samples = await timed(ROUNDS, WARM_UP, () => wallet.refresh());
        figures.push(summarize(`refresh_delay_${delayMs}_ms`, 'ms', samples));
        fastest.push([2 * delayMs, Math.min(...samples)]);
      }
      return [...figures, exact('ab_round_trips', '', slopeOf(fastest), ROUNDS * DELAYS.length)];
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

/** The same ceremony over each transport, in turns, so that what else the machine does strikes all alike. */
async function transports(progress: Progress): Promise<readonly Figure[]> {
  progress(`transport: ${CEREMONIES} bare ceremonies over each of ${TRANSPORTS.length} transports`);
  const samples = new Map<string, number[]>(TRANSPORTS.map(({ id }) => [id, []]));
  const lengths = new Set<number>();
  let failures = 0;
  await withBarePair(async (garbler) => {
    await fetch(`${garbler}/pair`);
    for (let round = -WARM_UP; round < CEREMONIES; round++) {
      for (const { id, path } of TRANSPORTS) {
        const before = performance.now();
        const joint = await bareCeremony(garbler + path);
        const took = performance.now() - before;
        if (joint) lengths.add(joint.bytes);
        else failures++;
        if (joint && round >= 0) samples.get(id)?.push(took);
      }
    }
  });
  return [
    ...[...samples].map(([id, times]) => summarize(id, 'ms', times)),
    exact('transport_failures', '', failures, TRANSPORTS.length * (CEREMONIES + WARM_UP)),
    ...[...lengths].map((bytes) => exact('transport_bytes', 'bytes', bytes)),
  ];
}

/** @returns undefined for one that fails, or comes to shares that do not fit */
async function bareCeremony(url: string): Promise<JointAnswer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const joint = response.ok ? ((await response.json()) as JointAnswer) : undefined;
    return joint && addsUp(joint) ? joint : undefined;
  } catch {
    return undefined;
  }
}
