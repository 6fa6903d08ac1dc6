import { LIMITS } from '@streaming-yao/core';
import type { CeremonyAnswer, Passage, Timeline } from '@streaming-yao/wire';
import type { Exchange } from '../exchanges.ts';

export const PARTIES = ['client', 'router', 'deriver-a', 'deriver-b', 'signing-worker'] as const;
export type Party = (typeof PARTIES)[number];

/** One message between two parties. Times are milliseconds since this page sent its request. */
export interface Message {
  readonly from: Party;
  readonly to: Party;
  /** A frame's kind, `request`, `call` or `answer`. */
  readonly name: string;
  readonly bytes: number;
  /** By the sender's clock; the receiver's where the sender did not note it. */
  readonly sentAt: number;
  /** By the receiver's clock; the sender's where the receiver did not note it. */
  readonly receivedAt: number;
}

/** A ceremony as its parties measured it, on this page's time. */
export interface MeasuredCeremony {
  readonly messages: readonly Message[];
  /** From the request to its answer, by this page's clock: the one duration that no other clock enters. */
  readonly totalMs: number;
  /** What was added to the roles' clocks so that they fit between request and answer; 0 where they fitted already. */
  readonly shiftMs: number;
}

/** A part of a ceremony's time, in the same milliseconds. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const wholeSpan = ({ totalMs }: MeasuredCeremony): Span => ({ fromMs: 0, toMs: totalMs });

/** From the first frame between the Derivers to the last one. */
export function spanOfDerivers({ messages }: MeasuredCeremony): Span {
  const frames = messages.filter(({ from, to }) => from.startsWith('deriver') && to.startsWith('deriver'));
  const fromMs = Math.min(...frames.map(({ sentAt }) => sentAt));
  return { fromMs, toMs: Math.max(fromMs + 1, ...frames.map(({ receivedAt }) => receivedAt)) };
}

/** A role's clock, laid on the page's. */
interface Clocked {
  readonly timeline: Timeline;
  readonly startedAt: number;
}

/**
 * Joins what this page, the Router and both Derivers noted of one ceremony.
 * @returns `undefined` where the roles noted nothing, as for a ceremony that did not ask for it
 */
export function measuredCeremony(exchange: Exchange, { timelines }: CeremonyAnswer): MeasuredCeremony | undefined {
  const totalMs = exchange.endedAt - exchange.startedAt;
  const sentAtMs = performance.timeOrigin + exchange.startedAt;
  const router = timelines.find(({ role }) => role === 'router');
  if (!router) return undefined;
  const shiftMs = shiftInto(router.startedAtMs - sentAtMs, lastOf(router), totalMs);
  const clocked = timelines.map((timeline) => ({ timeline, startedAt: timeline.startedAtMs - sentAtMs + shiftMs }));
  const of = (role: Party): Clocked | undefined => clocked.find(({ timeline }) => timeline.role === role);
  const [r, a, b] = [of('router'), of('deriver-a'), of('deriver-b')];
  if (!r || !a || !b) return undefined;
  const [request, response] = betweenClientAndRouter(exchange, r);
  const messages = [request, ...callsOf(r, [a, b]), ...framesBetween(a, b), ...framesBetween(b, a), response];
  return { messages: messages.toSorted((left, right) => left.sentAt - right.sentAt), totalMs, shiftMs };
}

const lastOf = ({ passages }: Timeline): number => passages.at(-1)?.afterMs ?? 0;

/** Clocks of other machines may run before or after ours: the Router's span is then laid in the middle of the exchange. */
function shiftInto(startedAt: number, span: number, totalMs: number): number {
  const fits = startedAt >= -1 && startedAt + span <= totalMs + 1;
  return fits ? Math.max(0, -startedAt) : (totalMs - span) / 2 - startedAt;
}

function betweenClientAndRouter(exchange: Exchange, router: Clocked): readonly [Message, Message] {
  const { sentBytes, receivedBytes } = exchange;
  const totalMs = exchange.endedAt - exchange.startedAt;
  const answeredAt = Math.min(totalMs, router.startedAt + lastOf(router.timeline));
  return [
    {
      from: 'client',
      to: 'router',
      name: 'request',
      bytes: sentBytes,
      sentAt: 0,
      receivedAt: Math.min(router.startedAt, totalMs),
    },
    { from: 'router', to: 'client', name: 'answer', bytes: receivedBytes, sentAt: answeredAt, receivedAt: totalMs },
  ];
}

/** The Router noted both ends of its calls itself; a Deriver's timeline starts when the call has come. */
function callsOf(router: Clocked, derivers: readonly Clocked[]): readonly Message[] {
  return router.timeline.passages.map(({ peer, direction, message: name, bytes, afterMs }) => {
    const at = router.startedAt + afterMs;
    const callee = derivers.find(({ timeline }) => timeline.role === peer);
    if (direction === 'received') return { from: peer, to: 'router', name, bytes, sentAt: at, receivedAt: at };
    return { from: 'router', to: peer, name, bytes, sentAt: at, receivedAt: Math.max(at, callee?.startedAt ?? at) };
  });
}

/** Frames keep their order, so the n-th that one Deriver sent is the n-th that the other received. */
function framesBetween(from: Clocked, to: Clocked): readonly Message[] {
  const noted = (clocked: Clocked, direction: Passage['direction']): readonly Passage[] =>
    clocked.timeline.passages.filter((passage) => passage.direction === direction);
  const received = noted(to, 'received');
  return noted(from, 'sent').map(({ message: name, bytes, afterMs }, i) => {
    const sentAt = from.startedAt + afterMs;
    const arrival = received[i];
    const receivedAt = arrival?.message === name ? Math.max(sentAt, to.startedAt + arrival.afterMs) : sentAt;
    return { from: from.timeline.role as Party, to: to.timeline.role as Party, name, bytes, sentAt, receivedAt };
  });
}

/** How far garbling and evaluation ran side by side, from the order of A's own messages alone: no clock enters. */
export interface Overlap {
  readonly frames: number;
  /** Table frames that B had evaluated, by its grants of credit, when A sent its last one. */
  readonly evaluatedBeforeLast: number;
  readonly tableBytes: number;
}

export function overlapOf({ timelines }: CeremonyAnswer): Overlap | undefined {
  const passages = timelines.find(({ role }) => role === 'deriver-a')?.passages ?? [];
  const tables = passages.filter(({ message }) => message === 'tables');
  const last = passages.findLastIndex(({ message }) => message === 'tables');
  if (tables.length === 0) return undefined;
  const grants = passages.slice(0, last).filter(({ message, direction }) => message === 'credit' && direction === 'received');
  return {
    frames: tables.length,
    evaluatedBeforeLast: Math.min(tables.length, grants.length * LIMITS.creditStepFrames),
    tableBytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
