import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { SecretBytes } from '@streaming-yao/core';
import { answerPairing, EvaluatingSession, finishPairing, GarblingSession, startPairing } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';

interface Figure {
  readonly id: string;
  /** Median. */
  readonly value: number;
  readonly unit: 'ms';
  readonly n: number;
  readonly p95: number;
}

const group = loadGroup();
const random = (length: number) => new Uint8Array(randomBytes(length));

class Timings {
  readonly #samples = new Map<string, number[]>();

  measure<T>(id: string, work: () => T): T {
    const start = performance.now();
    const result = work();
    const samples = this.#samples.get(id) ?? [];
    samples.push(performance.now() - start);
    this.#samples.set(id, samples);
    return result;
  }

  /** @param warmUp first samples of each figure that do not count */
  figures(warmUp: number): readonly Figure[] {
    return [...this.#samples].map(([id, all]) => {
      const samples = all.slice(warmUp).sort((left, right) => left - right);
      const at = (share: number): number => samples[Math.min(samples.length - 1, Math.floor(share * samples.length))] as number;
      return { id, value: at(0.5), unit: 'ms', n: samples.length, p95: at(0.95) };
    });
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
  return [...measurePairings(6), ...measureExtensions(60)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { id, value, n, p95 } of await benchOt())
    console.log(`${id}\t${value.toFixed(3)} ms\tp95 ${p95.toFixed(3)}\tn ${n}`);
}
