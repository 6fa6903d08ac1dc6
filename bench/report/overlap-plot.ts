import type { Role } from '@streaming-yao/wire';
import type { Report, Stamp } from './report.ts';
import { drawing, element, line, text, ticks } from './svg.ts';

const LANES: readonly (readonly [Role, string])[] = [
  ['router', 'Router'],
  ['deriver-a', 'Deriver A'],
  ['deriver-b', 'Deriver B'],
];
const [LEFT, WIDTH, ROW, TOP] = [110, 760, 62, 62];

const isTable = ({ message }: Stamp): boolean => message === 'tables';

/** When each role sent and received what: A still sends tables while B takes them in. */
export function overlapPlot({ ceremony }: Report): string {
  const most = Math.max(...ceremony.map(({ atMs }) => atMs)) * 1.03;
  const x = (ms: number): number => LEFT + (ms / most) * (WIDTH - LEFT - 24);
  const bottom = TOP + LANES.length * ROW;
  const axis = ticks(most).flatMap((ms) => [
    line(x(ms), TOP - 6, x(ms), bottom, { class: 'grid' }),
    text(x(ms), bottom + 18, `${ms} ms`, { class: 'soft', 'text-anchor': 'middle' }),
  ]);
  const lanes = LANES.flatMap(([role, name], i) => {
    const y = TOP + i * ROW;
    const own = ceremony.filter((stamp) => stamp.role === role);
    const tables = own.filter(isTable).map(({ atMs }) => atMs);
    const [first, last] = [Math.min(...tables), Math.max(...tables)];
    const span = tables.length > 0 && [
      element('rect', {
        x: x(first),
        y: y + 6,
        width: Math.max(2, x(last) - x(first)),
        height: 10,
        class: 'soft',
        opacity: 0.35,
      }),
    ];
    return [
      text(LEFT - 12, y + 34, name, { 'text-anchor': 'end', 'font-weight': 600 }),
      ...(span || []),
      ...own.map(({ atMs, direction, peer }) =>
        element('rect', {
          ...{ x: x(atMs) - 1, y: direction === 'sent' ? y + 20 : y + 34, width: 2.5, height: 11 },
          class: peer === 'deriver-b' ? 'b' : peer === 'deriver-a' ? 'a' : 'other',
        }),
      ),
    ];
  });
  const legend = text(16, 42, 'upper marks sent, lower received, colour: the other end; bars: first to last table frame', {
    class: 'soft',
  });
  return drawing(WIDTH, bottom + 32, 'One registration, message by message', [legend, ...axis, ...lanes]);
}
