import { figureOf, type Report } from './report.ts';
import { drawing, element, line, text, ticks } from './svg.ts';

const OPERATIONS = [
  ['register_ms_p50', 'register'],
  ['recover_ms_p50', 'recover'],
  ['refresh_ms_p50', 'refresh'],
  ['export_ms_p50', 'export'],
  ['sign_hit_ms_p50', 'sign, commitments at hand'],
  ['sign_miss_ms_p50', 'sign, none at hand'],
  ['sign_after_idle_ms_p50', 'sign after 12 s idle'],
] as const;

const [LEFT, WIDTH, ROW, TOP] = [190, 720, 34, 56];

/** Median, p95 and p99 of each operation at the client, beside what it shall reach. */
export function latencyPlot(report: Report): string {
  const rows = OPERATIONS.map(([id, label]) => ({ ...figureOf(report, id), label }));
  const most = Math.max(...rows.flatMap(({ value, p95 = 0, p99 = 0, target }) => [value, p95, p99, target ?? 0])) * 1.05;
  const x = (ms: number): number => LEFT + (ms / most) * (WIDTH - LEFT - 30);
  const bottom = TOP + rows.length * ROW;
  const axis = ticks(most).flatMap((ms) => [
    line(x(ms), TOP - 8, x(ms), bottom, { class: 'grid' }),
    text(x(ms), bottom + 18, `${ms}`, { class: 'soft', 'text-anchor': 'middle' }),
  ]);
  const drawn = rows.flatMap(({ label, value, p95, p99, target }, i) => {
    const y = TOP + i * ROW + ROW / 2;
    const furthest = p99 ?? p95 ?? value;
    return [
      text(LEFT - 12, y + 4, label, { 'text-anchor': 'end' }),
      line(x(value), y, x(furthest), y, { class: 'range' }),
      element('circle', { cx: x(value), cy: y, r: 5, class: 'a' }),
      ...(p95 === undefined ? [] : [line(x(p95), y - 6, x(p95), y + 6, { class: 'range' })]),
      ...(target === null ? [] : [line(x(target), y - 11, x(target), y + 11, { class: 'goal' })]),
      text(x(furthest) + 8, y + 4, `${value}`, { class: 'soft' }),
    ];
  });
  const legend = text(16, 42, 'milliseconds at the client: dot median, bar p95, end p99; red: target', { class: 'soft' });
  return drawing(WIDTH, bottom + 32, 'Time of each operation', [legend, ...axis, ...drawn]);
}
