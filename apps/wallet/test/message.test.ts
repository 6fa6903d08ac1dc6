import type { CeremonyAnswer, Passage, Timeline } from '@streaming-yao/wire';
import { describe, expect, it } from 'vitest';
import { placeLabels } from '../src/ceremony/chart-labels.ts';
import { measuredCeremony, overlapOf, spanOfDerivers } from '../src/ceremony/message.ts';
import type { Exchange } from '../src/exchanges.ts';

const passage = (
  peer: Passage['peer'],
  direction: Passage['direction'],
  message: string,
  bytes: number,
  afterMs: number,
): Passage => ({
  peer,
  direction,
  message,
  bytes,
  afterMs,
});

/** A short ceremony of 40 ms whose roles' clocks are `ahead` of the page's. */
function ceremony(ahead: number): { readonly exchange: Exchange; readonly answer: CeremonyAnswer } {
  const exchange = { path: '/v1/ceremonies', sentBytes: 700, startedAt: 1000, receivedBytes: 900, endedAt: 1040, status: 200 };
  const start = performance.timeOrigin + exchange.startedAt + ahead;
  const timelines: readonly Timeline[] = [
    {
      role: 'router',
      startedAtMs: start + 2,
      passages: [
        passage('deriver-a', 'sent', 'call', 300, 1),
        passage('deriver-b', 'sent', 'call', 301, 1),
        passage('deriver-b', 'received', 'answer', 400, 30),
        passage('deriver-a', 'received', 'answer', 401, 31),
      ],
    },
    {
      role: 'deriver-a',
      startedAtMs: start + 5,
      passages: [
        passage('deriver-b', 'sent', 'open', 213, 1),
        passage('deriver-b', 'sent', 'tables', 65_495, 2),
        passage('deriver-b', 'received', 'accept', 6_300, 6),
        passage('deriver-b', 'received', 'credit', 60, 8),
        passage('deriver-b', 'sent', 'tables', 65_495, 9),
      ],
    },
    {
      role: 'deriver-b',
      startedAtMs: start + 6,
      passages: [
        passage('deriver-a', 'received', 'open', 213, 2),
        passage('deriver-a', 'sent', 'accept', 6_300, 3),
        passage('deriver-a', 'received', 'tables', 65_495, 4),
        passage('deriver-a', 'sent', 'credit', 60, 5),
        passage('deriver-a', 'received', 'tables', 65_495, 10),
      ],
    },
  ];
  return { exchange, answer: { timelines } as unknown as CeremonyAnswer };
}

const rounded = (ms: number): number => Math.round(ms);

describe('a measured ceremony', () => {
  it('has each message once, from its sender’s time to its receiver’s', () => {
    const { exchange, answer } = ceremony(0);
    const measured = measuredCeremony(exchange, answer);
    const seen = measured?.messages.map(({ from, to, name, sentAt, receivedAt }) => [
      `${from} ${to} ${name}`,
      rounded(sentAt),
      rounded(receivedAt),
    ]);
    expect(seen).toEqual([
      ['client router request', 0, 2],
      ['router deriver-a call', 3, 5],
      ['router deriver-b call', 3, 6],
      ['deriver-a deriver-b open', 6, 8],
      ['deriver-a deriver-b tables', 7, 10],
      ['deriver-b deriver-a accept', 9, 11],
      ['deriver-b deriver-a credit', 11, 13],
      ['deriver-a deriver-b tables', 14, 16],
      ['deriver-b router answer', 32, 32],
      ['deriver-a router answer', 33, 33],
      ['router client answer', 33, 40],
    ]);
    expect([measured?.totalMs, measured?.shiftMs]).toEqual([40, 0]);
  });

  it.each([90_000, -90_000])('is laid in the middle of the exchange where the roles’ clocks are %i ms away', (ahead) => {
    const { exchange, answer } = ceremony(ahead);
    const measured = measuredCeremony(exchange, answer);
    const calls = measured?.messages.filter(({ from }) => from === 'router').map(({ sentAt }) => rounded(sentAt));
    expect(calls).toEqual([6, 6, 36]);
    expect(rounded(measured?.shiftMs ?? 0)).toBe(rounded(2.5 - ahead));
  });

  it('is none where the roles noted nothing', () => {
    const { exchange } = ceremony(0);
    expect(measuredCeremony(exchange, { timelines: [] } as unknown as CeremonyAnswer)).toBeUndefined();
  });

  it('spans, between the Derivers, from the first frame to the last', () => {
    const { exchange, answer } = ceremony(0);
    const measured = measuredCeremony(exchange, answer);
    const { fromMs, toMs } = measured ? spanOfDerivers(measured) : { fromMs: 0, toMs: 0 };
    expect([rounded(fromMs), rounded(toMs)]).toEqual([6, 16]);
  });

  it('counts what B had evaluated before A’s last frame by the order of A’s own messages', () => {
    expect(overlapOf(ceremony(0).answer)).toEqual({ frames: 2, evaluatedBeforeLast: 2, tableBytes: 130_990 });
  });
});

describe('labels', () => {
  it('never stand on each other, nor below the drawing', () => {
    const { exchange, answer } = ceremony(0);
    const messages = measuredCeremony(exchange, answer)?.messages ?? [];
    const places = placeLabels(messages, (ms) => ms, 300);
    for (const gap of new Set(places.map((place) => place.gap))) {
      const heights = places.filter((place) => place.gap === gap).map(({ y }) => y);
      const distances = heights.slice(1).map((y, i) => y - (heights[i] ?? 0));
      expect(Math.min(15, ...distances)).toBe(15);
      expect(Math.max(...heights)).toBeLessThanOrEqual(300);
    }
    expect(places).toHaveLength(messages.length);
  });
});
