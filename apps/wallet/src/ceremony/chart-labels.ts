import { svg } from '../dom.ts';
import { kilobytes } from '../text/number.ts';
import type { Text } from '../text/text.ts';
import { type Message, PARTIES, type Party } from './message.ts';

const LINE_HEIGHT = 15;
/** Below this width of a column only names fit. */
const ROOM_FOR_BYTES = 96;

/** Where a label stands: between which column and the next one, and at which height. */
export interface LabelPlace {
  readonly message: Message;
  readonly gap: number;
  readonly y: number;
}

/** Calls of the Router pass Deriver A's column on their way; their labels stay where there is room for them. */
function gapOf({ from, to }: Message): number {
  const ends = new Set([from, to]);
  if (ends.has('client')) return 0;
  if (ends.has('signing-worker')) return PARTIES.indexOf('deriver-b');
  return ends.has('router') ? PARTIES.indexOf('router') : PARTIES.indexOf('deriver-a');
}

/** Puts each label above its arrow, and lower where another one stands there already. */
export function placeLabels(messages: readonly Message[], y: (ms: number) => number, bottom: number): readonly LabelPlace[] {
  const lowest = new Map<number, number>();
  const places = messages
    .map((message) => ({ message, gap: gapOf(message), y: (y(message.sentAt) + y(message.receivedAt)) / 2 - 4 }))
    .toSorted((left, right) => left.y - right.y)
    .map(({ message, gap, y: wanted }) => {
      const free = Math.max(wanted, (lowest.get(gap) ?? 0) + LINE_HEIGHT);
      lowest.set(gap, free);
      return { message, gap, y: free };
    });
  return raisedAbove(places, bottom);
}

/** What was pushed below the drawing moves up again, and pushes what stands above it. */
function raisedAbove(places: readonly LabelPlace[], bottom: number): readonly LabelPlace[] {
  const highest = new Map<number, number>();
  return places
    .toReversed()
    .map((place) => {
      const free = Math.min(place.y, (highest.get(place.gap) ?? bottom + LINE_HEIGHT) - LINE_HEIGHT);
      highest.set(place.gap, free);
      return { ...place, y: free };
    })
    .toReversed();
}

export function drawLabel({ message, gap, y }: LabelPlace, x: (party: Party) => number, text: Text): SVGElement {
  const [left, right] = [PARTIES[gap] as Party, PARTIES[gap + 1] as Party];
  const name = text.ceremony.messages[message.name] ?? message.name;
  const target = gap === PARTIES.indexOf('router') ? ` ${text.parties[peerOfRouter(message)].letter}` : '';
  const bytes = x(right) - x(left) >= ROOM_FOR_BYTES ? ` ${kilobytes(message.bytes, text)}` : '';
  return svg('text', { class: 'caption', x: (x(left) + x(right)) / 2, y, 'text-anchor': 'middle' }, `${name}${target}${bytes}`);
}

const peerOfRouter = ({ from, to }: Message): Party => (from === 'router' ? to : from);
