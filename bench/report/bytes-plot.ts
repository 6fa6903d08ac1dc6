import type { Report, Stamp } from './report.ts';
import { drawing, element, text } from './svg.ts';

const [LEFT, WIDTH, ROW, TOP] = [210, 720, 26, 56];

interface Bar {
  readonly label: string;
  readonly sender: string;
  readonly frames: number;
  readonly bytes: number;
}

/** What went between the Derivers, by kind of message and direction. */
function barsOf(ceremony: readonly Stamp[]): readonly Bar[] {
  const bars = new Map<string, Bar>();
  for (const { role, peer, direction, message, bytes } of ceremony) {
    const between = (role === 'deriver-a' && peer === 'deriver-b') || (role === 'deriver-b' && peer === 'deriver-a');
    if (!between || direction !== 'sent') continue;
    const label = `${role === 'deriver-a' ? 'A → B' : 'B → A'}  ${message}`;
    const before = bars.get(label) ?? { label, sender: role, frames: 0, bytes: 0 };
    bars.set(label, { ...before, frames: before.frames + 1, bytes: before.bytes + bytes });
  }
  return [...bars.values()].toSorted((left, right) => right.bytes - left.bytes);
}

/** Lengths by a logarithmic scale: the tables are a hundred times everything else. */
export function bytesPlot({ ceremony }: Report): string {
  const bars = barsOf(ceremony);
  const most = Math.log10(Math.max(...bars.map(({ bytes }) => bytes)));
  const drawn = bars.flatMap(({ label, sender, frames, bytes }, i) => {
    const y = TOP + i * ROW;
    const width = Math.max(2, ((Math.log10(bytes) - 1) / (most - 1)) * (WIDTH - LEFT - 190));
    const count = `${bytes.toLocaleString('en')} bytes${frames > 1 ? ` in ${frames} frames` : ''}`;
    return [
      text(LEFT - 12, y + 14, label, { 'text-anchor': 'end' }),
      element('rect', { x: LEFT, y: y + 3, width, height: ROW - 10, class: sender === 'deriver-a' ? 'a' : 'b', rx: 2 }),
      text(LEFT + width + 8, y + 14, count, { class: 'soft' }),
    ];
  });
  const legend = text(16, 42, 'one registration, WebSocket payloads, logarithmic', { class: 'soft' });
  return drawing(WIDTH, TOP + bars.length * ROW + 16, 'Bytes between the Derivers', [legend, ...drawn]);
}
