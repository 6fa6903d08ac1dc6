import { costUsdPerMillion } from '../cost/model.ts';
import type { Prices } from '../cost/prices.ts';
import { figureOf, type Report } from './report.ts';
import { drawing, element, line, text, ticks } from './svg.ts';

const [LEFT, WIDTH, TOP, HEIGHT] = [70, 720, 60, 240];
/** The public reference's own figure for both Derivers, deployed: 226.3 + 167.0 ms. */
const REFERENCE_CPU_MS = 393.3;

/** The reference's cost model, with its figure and ours on it. */
export function costPlot(report: Report, prices: Prices): string {
  const most = REFERENCE_CPU_MS * 1.1;
  const dollars = costUsdPerMillion(most, prices);
  const x = (ms: number): number => LEFT + (ms / most) * (WIDTH - LEFT - 40);
  const y = (usd: number): number => TOP + HEIGHT - (usd / dollars) * HEIGHT;
  const axis = [
    ...ticks(most).map((ms) => text(x(ms), TOP + HEIGHT + 18, `${ms} ms`, { class: 'soft', 'text-anchor': 'middle' })),
    ...ticks(dollars).flatMap((usd) => [
      line(LEFT, y(usd), WIDTH - 40, y(usd), { class: 'grid' }),
      text(LEFT - 8, y(usd) + 4, `$${usd}`, { class: 'soft', 'text-anchor': 'end' }),
    ]),
  ];
  const point = (cpuMs: number, label: string, className: string): readonly string[] => {
    const usd = costUsdPerMillion(cpuMs, prices);
    const [anchor, dx] = cpuMs > most / 2 ? ['end', -12] : ['start', 12];
    return [
      element('circle', { cx: x(cpuMs), cy: y(usd), r: 6, class: className }),
      text(x(cpuMs) + Number(dx), y(usd) + 5, `${label}: ${cpuMs} ms, $${usd.toFixed(3)}`, { 'text-anchor': String(anchor) }),
    ];
  };
  return drawing(WIDTH, TOP + HEIGHT + 34, 'USD for a million activations against CPU of both Derivers', [
    text(16, 42, `CPU and requests at the prices of ${prices.date}; what is counted apart is not in it`, { class: 'soft' }),
    ...axis,
    line(x(0), y(costUsdPerMillion(0, prices)), x(most), y(dollars), { class: 'curve' }),
    ...point(REFERENCE_CPU_MS, 'public reference, deployed', 'other'),
    ...point(figureOf(report, 'cpu_ms_activation').value, 'here, local', 'a'),
  ]);
}
