import { svg } from '../dom.ts';
import type { Text } from '../text/text.ts';
import { drawLabel, placeLabels } from './chart-labels.ts';
import { type MeasuredCeremony, type Message, PARTIES, type Party, type Span } from './message.ts';

/** Measures of the drawing, in CSS pixels. */
const HEAD = 64;
const FOOT = 18;
const TIME_COLUMN = 54;
const LEAST_GAP = 15;

/** The drawing of a ceremony, which can show any moment of it. */
export interface Chart {
  readonly element: SVGSVGElement;
  /** Shows what had happened `atMs` after the request. */
  show(atMs: number): void;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  x(party: Party): number;
  y(ms: number): number;
}

/** Messages named on the drawing; tables and credit are drawn as thin strokes, their sum stands in the strip below. */
const THIN = new Set(['tables', 'credit']);
const isNamed = ({ name }: Message): boolean => !THIN.has(name);

/** @param span what of the ceremony is drawn */
export function drawChart({ messages: all }: MeasuredCeremony, span: Span, width: number, text: Text): Chart {
  const messages = all.filter(({ sentAt, receivedAt }) => sentAt >= span.fromMs && receivedAt <= span.toMs);
  const layout = layoutFor(messages, span, width);
  const { height } = layout;
  const now = svg('line', { class: 'now', x1: TIME_COLUMN, x2: width, y1: 0, y2: 0 });
  const labels = placeLabels(messages.filter(isNamed), layout.y, height - FOOT);
  const strokes = [
    ...messages.map((message) => ({ message, element: drawMessage(message, layout, text) })),
    ...labels.map((place) => ({ message: place.message, element: drawLabel(place, layout.x, text) })),
  ];
  const element = svg(
    'svg',
    { class: 'chart', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': text.ceremony.chartLabel },
    ...drawTimes(span, layout),
    ...PARTIES.flatMap((party) => drawParty(party, layout, text)),
    ...drawWork(messages, layout),
    now,
    ...strokes.map((stroke) => stroke.element),
  );
  const show = (atMs: number): void => {
    for (const stroke of strokes) stroke.element.classList.toggle('past', stroke.message.receivedAt <= atMs);
    const y = layout.y(Math.min(Math.max(atMs, span.fromMs), span.toMs));
    for (const edge of ['y1', 'y2']) now.setAttribute(edge, String(y));
  };
  return { element, show };
}

function layoutFor(messages: readonly Message[], { fromMs, toMs }: Span, width: number): Layout {
  const column = (width - TIME_COLUMN) / PARTIES.length;
  const named = messages.filter(isNamed).length;
  const body = Math.max(320, named * LEAST_GAP * 2);
  return {
    width,
    height: HEAD + body + FOOT,
    x: (party) => TIME_COLUMN + column * (PARTIES.indexOf(party) + 0.5),
    y: (ms) => HEAD + ((ms - fromMs) / Math.max(toMs - fromMs, 1)) * body,
  };
}

function drawParty(party: Party, { x, height }: Layout, text: Text): readonly SVGElement[] {
  const words = text.parties[party].short.split('\n');
  const name = words.map((word, i) => svg('tspan', { x: x(party), dy: i === 0 ? 0 : 14 }, word));
  return [
    svg('text', { class: 'party', 'data-party': party, x: x(party), y: 22, 'text-anchor': 'middle' }, ...name),
    svg('line', { class: 'life', 'data-party': party, x1: x(party), x2: x(party), y1: HEAD - 12, y2: height - FOOT }),
  ];
}

/** A round number of milliseconds between two lines of the scale, so that there are four to eight. */
function stepFor(spanMs: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(spanMs, 1) / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => spanMs / step <= 8) ?? power * 10;
}

function drawTimes({ fromMs, toMs }: Span, { y, width }: Layout): readonly SVGElement[] {
  const step = stepFor(toMs - fromMs);
  const first = Math.ceil(fromMs / step);
  const marks = Array.from({ length: Math.floor(toMs / step) - first + 1 }, (_, i) => (first + i) * step);
  return marks.flatMap((ms, i) => [
    svg('line', { class: 'scale', x1: TIME_COLUMN, x2: width, y1: y(ms), y2: y(ms) }),
    svg(
      'text',
      { class: 'time', x: TIME_COLUMN - 8, y: y(ms) + 4, 'text-anchor': 'end' },
      i === 0 ? `${round(ms)} ms` : String(round(ms)),
    ),
  ]);
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

/** On A's line the time in which it garbled, on B's the time in which it evaluated: where both stand, both worked. */
function drawWork(messages: readonly Message[], { x, y }: Layout): readonly SVGElement[] {
  const tables = messages.filter(({ name }) => name === 'tables');
  const first = tables[0];
  const last = tables.at(-1);
  if (!first || !last) return [];
  const box = (party: Party, from: number, to: number) =>
    svg('rect', {
      class: 'work',
      'data-party': party,
      x: x(party) - 5,
      width: 10,
      y: y(from),
      height: Math.max(3, y(to) - y(from)),
      rx: 3,
    });
  const labels = messages.find(({ name }) => name === 'pads');
  const evaluatedFrom = Math.max(first.receivedAt, labels?.receivedAt ?? first.receivedAt);
  return [box('deriver-a', first.sentAt, last.sentAt), box('deriver-b', evaluatedFrom, last.receivedAt)];
}

function drawMessage(message: Message, { x, y }: Layout, text: Text): SVGElement {
  const [x1, x2] = [x(message.from), x(message.to)];
  const [y1, y2] = [y(message.sentAt), y(message.receivedAt)];
  const toward = Math.sign(x2 - x1);
  const head = `M${x2 - toward * 6} ${y2 - 3.5}L${x2} ${y2}L${x2 - toward * 6} ${y2 + 3.5}`;
  return svg(
    'g',
    { class: isNamed(message) ? 'message named' : 'message', 'data-party': message.from, 'data-name': message.name },
    svg('title', {}, text.ceremony.messageLine(message)),
    svg('line', { x1, x2, y1, y2 }),
    svg('path', { d: head, fill: 'none' }),
  );
}
