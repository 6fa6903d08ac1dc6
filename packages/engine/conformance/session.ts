import vectors from '../../../vectors/engine-sessions.json' with { type: 'json' };
import { EvaluatorPairing, GarblerPairing } from '../src/index.ts';
import { type ConformanceCase, equal, refuses } from './case.ts';
import { type Answers, type Pairings, pair, ratchetAnswers, sessionAnswers } from './session-answers.ts';

let made: Pairings | undefined;

/** Fresh copies of one pairing: its base OTs take most of a second. */
function pairings(): Pairings {
  made ??= pair();
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
  { name: 'pairing: known answers', run: () => same(pairings().answers, vectors.pairing) },
  { name: 'tickets: known answers', run: () => same(ratchetAnswers(pairings()), vectors.ratchet) },
  {
    name: 'activation: known answers',
    run: (engine) => same(sessionAnswers(engine, pairings(), 'activation'), vectors.activation),
  },
  { name: 'export: known answers', run: (engine) => same(sessionAnswers(engine, pairings(), 'export'), vectors.export) },
  {
    name: 'tickets: refused twice',
    run: () => {
      const { garbler, evaluator } = pairings();
      for (const pairing of [garbler, evaluator]) {
        pairing.takeTicket(3);
        refuses('ticket_spent', () => pairing.takeTicket(3));
      }
    },
  },
];
