import { SecretBytes, xorBytes } from '@streaming-yao/core';
import { type CircuitName, EvaluatingSession, GarblingSession, type Random, type SessionContext } from '../src/index.ts';
import type { EvaluatorPairing, GarblerPairing } from '../src/ot/pairing.ts';
import { littleEndianToNumber } from '../src/share/modulus.ts';
import { engine, pairings, tape } from './fixtures.ts';

export const FRAME_BYTES = 65_472;

export const number = (share: SecretBytes): bigint => share.use(littleEndianToNumber);

export interface Setting {
  readonly name: string;
  readonly circuit?: CircuitName;
  readonly seed?: Uint8Array;
  readonly pair?: { readonly garbler: GarblerPairing; readonly evaluator: EvaluatorPairing };
  readonly counter?: number;
  readonly random?: Random;
  /** What the evaluator believes where the garbler believes otherwise. */
  readonly evaluatorContext?: Partial<SessionContext>;
}

/** Opens both ends of one session; everything is a function of `name`. */
export function open(setting: Setting) {
  const { name, circuit = 'activation', seed, pair = pairings(), counter = 0, evaluatorContext = {} } = setting;
  const { random = tape(`session ${name}`) } = setting;
  const context = { ceremonyId: random(32), circuit, profile: 'passive', garblerNonce: random(32) };
  const evaluatorNonce = random(32);
  const garblerInput = random(32);
  const evaluatorInput = seed ? xorBytes(garblerInput, seed) : random(32);
  const garbling = GarblingSession.open({
    kernel: engine,
    ticket: pair.garbler.takeTicket(counter),
    context,
    input: SecretBytes.copy(garblerInput),
    random,
  });
  const evaluating = EvaluatingSession.open({
    kernel: engine,
    ticket: pair.evaluator.takeTicket(counter),
    context: { ...context, ...evaluatorContext },
    evaluatorNonce,
    input: SecretBytes.copy(evaluatorInput),
    random,
  });
  return { garbling, evaluating, evaluatorNonce, seed: xorBytes(garblerInput, evaluatorInput), garblerInput, evaluatorInput };
}

export function tables(garbling: GarblingSession): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const frame = new Uint8Array(FRAME_BYTES);
  for (let length = garbling.nextTables(frame); length > 0; length = garbling.nextTables(frame))
    frames.push(frame.slice(0, length));
  return frames;
}

/** Runs a session up to the end of the tables. */
export function run(setting: Setting) {
  const session = open(setting);
  const pads = session.garbling.acceptChoices(session.evaluatorNonce, session.evaluating.choices);
  session.evaluating.acceptPads(pads);
  const frames = tables(session.garbling);
  for (const frame of frames) session.evaluating.acceptTables(frame);
  return { ...session, pads, frames };
}
