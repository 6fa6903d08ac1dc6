import { randomBytes } from 'node:crypto';
import { SecretBytes } from '@streaming-yao/core';
import { answerPairing, EvaluatingSession, finishPairing, GarblingSession, startPairing } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { elapsed, type Figure, print, summarize } from './figure.ts';

const group = loadGroup();
const random = (length: number) => new Uint8Array(randomBytes(length));

/** Samples of several figures that are taken in turns. */
class Timings {
  readonly #samples = new Map<string, number[]>();

  measure<T>(id: string, work: () => T): T {
    const samples = this.#samples.get(id) ?? [];
    this.#samples.set(id, samples);
    let result: T | undefined;
    samples.push(
      elapsed(() => {
        result = work();
      }),
    );
    return result as T;
  }

  /** @param warmUp first samples of each figure that do not count */
  figures(warmUp: number): readonly Figure[] {
    return [...this.#samples].map(([id, samples]) => summarize(id, 'ms', samples.slice(warmUp)));
  }
}

function measurePairings(rounds: number): readonly Figure[] {
  const timings = new Timings();
  const context = random(32);
  for (let round = 0; round < rounds; round++) {
    const { pending, message } = timings.measure('pairing_garbler_start_ms', () => startPairing(group, random, context));
    const { reply } = timings.measure('pairing_evaluator_ms', () => answerPairing(group, random, context, message));
    timings.measure('pairing_garbler_finish_ms', () => finishPairing(group, pending, context, reply));
  }
  return timings.figures(1);
}

function measureExtensions(rounds: number): readonly Figure[] {
  const timings = new Timings();
  const kernel = loadKernel();
  const context = random(32);
  const start = startPairing(group, random, context);
  const answer = answerPairing(group, random, context, start.message);
  const [garbler, evaluator] = [finishPairing(group, start.pending, context, answer.reply), answer.pairing];
  for (let counter = 0; counter < rounds; counter++) {
    const garblerTicket = timings.measure('ticket_garbler_ms', () => garbler.takeTicket(counter));
    const evaluatorTicket = timings.measure('ticket_evaluator_ms', () => evaluator.takeTicket(counter));
    const session = { ceremonyId: random(32), circuit: 'export', profile: 'bench', garblerNonce: random(32) } as const;
    const evaluatorNonce = random(32);
    const common = { kernel, context: session, random };
    const garbling = GarblingSession.open({ ...common, ticket: garblerTicket, input: SecretBytes.own(random(32)) });
    const evaluating = timings.measure('ot_evaluator_choices_ms', () =>
      EvaluatingSession.open({ ...common, ticket: evaluatorTicket, evaluatorNonce, input: SecretBytes.own(random(32)) }),
    );
    const pads = timings.measure('ot_garbler_pads_ms', () => garbling.acceptChoices(evaluatorNonce, evaluating.choices));
    timings.measure('ot_evaluator_labels_ms', () => evaluating.acceptPads(pads));
    garbling.wipe();
    evaluating.wipe();
  }
  return timings.figures(10);
}

/** Base OTs of a pairing, tickets, and the extension of one session (256 choices), each side for itself. */
export default async function benchOt(): Promise<readonly Figure[]> {
  return [...measurePairings(12), ...measureExtensions(60)];
}

if (import.meta.main) print(await benchOt());
