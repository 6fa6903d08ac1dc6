import type { Group } from '@streaming-yao/group';
import vectors from '../../../vectors/engine-sessions.json' with { type: 'json' };
import { EvaluatorPairing, GarblerPairing } from '../src/index.ts';
import { type ConformanceCase, equal, refuses } from './case.ts';
import { type Answers, type Pairings, pair, ratchetAnswers, sessionAnswers } from './session-answers.ts';

let made: Pairings | undefined;

/** Fresh copies of one pairing. */
function pairings(group: Group): Pairings {
  made ??= pair(group);
  return {
    garbler: GarblerPairing.import(made.garbler.export()),
    evaluator: EvaluatorPairing.import(made.evaluator.export()),
    answers: made.answers,
  };
}

function same(actual: Answers, expected: Answers): void {
  for (const [name, value] of Object.entries(expected)) equal(actual[name], value, name);
  equal(Object.keys(actual).length, Object.keys(expected).length, 'number of answers');
}

export const sessionCases: readonly ConformanceCase[] = [
  { name: 'pairing: known answers', run: (_, group) => same(pairings(group).answers, vectors.pairing) },
  { name: 'tickets: known answers', run: (_, group) => same(ratchetAnswers(pairings(group)), vectors.ratchet) },
  {
    name: 'activation: known answers',
    run: (engine, group) => same(sessionAnswers(engine, pairings(group), 'activation'), vectors.activation),
  },
  {
    name: 'export: known answers',
    run: (engine, group) => same(sessionAnswers(engine, pairings(group), 'export'), vectors.export),
  },
  {
    name: 'tickets: refused twice',
    run: (_, group) => {
      const { garbler, evaluator } = pairings(group);
      for (const pairing of [garbler, evaluator]) {
        pairing.takeTicket(3);
        refuses('ticket_spent', () => pairing.takeTicket(3));
      }
    },
  },
];
