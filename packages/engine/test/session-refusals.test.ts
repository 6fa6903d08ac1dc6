import { SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import {
  CHOICES_BYTES,
  EvaluatingSession,
  GarblingSession,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  type SessionContext,
} from '../src/index.ts';
import { codeOf, engine, flipped, pairings, tape } from './fixtures.ts';
import { open, run, tables } from './two-parties.ts';

describe('keys of a session', () => {
  const frameKeys = (session: GarblingSession | EvaluatingSession): string[] =>
    [session.frameKeys.toEvaluator, session.frameKeys.toGarbler].map((key) => key.use((bytes) => toHex(bytes)));

  it('of the frames agree on both sides and differ by direction', () => {
    const { garbling, evaluating } = open({ name: 'frames' });
    expect(frameKeys(garbling)).toEqual(frameKeys(evaluating));
    expect(new Set(frameKeys(garbling)).size).toBe(2);
  });

  it.each<[string, Partial<SessionContext>]>([
    ['ceremony id', { ceremonyId: new Uint8Array(32) }],
    ['circuit', { circuit: 'export' }],
    ['profile', { profile: 'active' }],
    ["garbler's nonce", { garblerNonce: new Uint8Array(32) }],
  ])('depend on the %s', (_, evaluatorContext) => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'context', evaluatorContext });
    for (const key of frameKeys(garbling)) expect(frameKeys(evaluating)).not.toContain(key);
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('ot_check_failed');
  });

  it("depend on the evaluator's nonce", () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'nonce' });
    expect(codeOf(() => garbling.acceptChoices(flipped(evaluatorNonce, 9), evaluating.choices))).toBe('ot_check_failed');
  });

  it('depend on the ticket', () => {
    const pair = pairings();
    const first = open({ name: 'ticket', pair, counter: 0 });
    const second = open({ name: 'ticket', pair, counter: 1 });
    for (const key of frameKeys(first.garbling)) expect(frameKeys(second.garbling)).not.toContain(key);
    expect(codeOf(() => first.garbling.acceptChoices(first.evaluatorNonce, second.evaluating.choices))).toBe('ot_check_failed');
  });

  it('depend on the fresh nonce even where a restored backup spends a ticket twice', () => {
    const stored = pairings();
    const copies = [0, 1].map(() => pairings());
    expect(toHex(copies[0]!.garbler.id)).toBe(toHex(stored.garbler.id));
    const [first, second] = copies.map((pair, i) => open({ name: `restored ${i}`, pair }));
    for (const key of frameKeys(first!.garbling)) expect(frameKeys(second!.garbling)).not.toContain(key);
    expect(toHex(tables(first!.garbling)[0]!)).not.toBe(toHex(tables(second!.garbling)[0]!));
  });
});

describe('a session refuses', () => {
  it('a ticket used twice, on both sides', () => {
    const pair = pairings();
    const [garblerTicket, evaluatorTicket] = [pair.garbler.takeTicket(0), pair.evaluator.takeTicket(0)];
    const common = {
      kernel: engine,
      context: { ceremonyId: new Uint8Array(32), circuit: 'export', profile: 'p', garblerNonce: new Uint8Array(32) },
      evaluatorNonce: new Uint8Array(32),
      input: SecretBytes.own(new Uint8Array(32)),
      random: tape('twice'),
    } as const;
    GarblingSession.open({ ...common, ticket: garblerTicket });
    EvaluatingSession.open({ ...common, ticket: evaluatorTicket });
    expect(codeOf(() => GarblingSession.open({ ...common, ticket: garblerTicket }))).toBe('ticket_spent');
    expect(codeOf(() => EvaluatingSession.open({ ...common, ticket: evaluatorTicket }))).toBe('ticket_spent');
  });

  it('inputs, ids and nonces of another length, before it spends the ticket', () => {
    const { garbler, evaluator } = pairings();
    const [garblerTicket, evaluatorTicket] = [garbler.takeTicket(0), evaluator.takeTicket(0)];
    const short = new Uint8Array(31);
    const context = {
      ceremonyId: new Uint8Array(32),
      circuit: 'export',
      profile: 'p',
      garblerNonce: new Uint8Array(32),
    } as const;
    const common = { kernel: engine, context, input: SecretBytes.own(new Uint8Array(32)), random: tape('lengths') };
    for (const wrong of [
      { input: SecretBytes.own(new Uint8Array(33)) },
      { context: { ...context, ceremonyId: short } },
      { context: { ...context, garblerNonce: short } },
    ]) {
      expect(codeOf(() => GarblingSession.open({ ...common, ticket: garblerTicket, ...wrong }))).toBe('invalid_length');
      const options = { ...common, ticket: evaluatorTicket, evaluatorNonce: new Uint8Array(32), ...wrong };
      expect(codeOf(() => EvaluatingSession.open(options))).toBe('invalid_length');
    }
    const options = { ...common, ticket: evaluatorTicket, evaluatorNonce: short };
    expect(codeOf(() => EvaluatingSession.open(options))).toBe('invalid_length');
    const garbling = GarblingSession.open({ ...common, ticket: garblerTicket });
    expect(codeOf(() => garbling.acceptChoices(short, new Uint8Array(CHOICES_BYTES)))).toBe('invalid_length');
  });

  it('altered choices, and is of no use afterwards', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'altered choices' });
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, flipped(evaluating.choices, 12_345)))).toBe('ot_check_failed');
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('frame_invalid');
    expect(codeOf(() => garbling.nextTables(new Uint8Array(64)))).toBe('secret_wiped');
    expect(codeOf(() => garbling.projectInputs())).toBe('secret_wiped');
    expect(codeOf(() => garbling.frameKeys.toEvaluator.use(() => {}))).toBe('secret_wiped');
  });

  it('choices of another peer', () => {
    const one = open({ name: 'peer' });
    const stranger = new Uint8Array(CHOICES_BYTES).map((_, i) => i);
    expect(codeOf(() => one.garbling.acceptChoices(one.evaluatorNonce, stranger))).toBe('ot_check_failed');
  });

  it('pads that are cut, extended or sent twice', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'pads', circuit: 'export' });
    const pads = garbling.acceptChoices(evaluatorNonce, evaluating.choices);
    expect(codeOf(() => evaluating.acceptPads(pads.subarray(1)))).toBe('frame_invalid');
    expect(codeOf(() => evaluating.acceptPads(Uint8Array.of(...pads, 0)))).toBe('frame_invalid');
    evaluating.acceptPads(pads);
    expect(codeOf(() => evaluating.acceptPads(pads))).toBe('frame_invalid');
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('frame_invalid');
  });

  it('steps out of order', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'order' });
    expect(evaluating.complete).toBe(false);
    expect(codeOf(() => garbling.projectInputs())).toBe('not_ready');
    expect(codeOf(() => garbling.projectOutputs())).toBe('not_ready');
    expect(codeOf(() => evaluating.acceptTables(new Uint8Array(32)))).toBe('frame_invalid');
    expect(codeOf(() => evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
    expect(codeOf(() => evaluating.inputShare(new Uint8Array(INPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
    evaluating.acceptPads(garbling.acceptChoices(evaluatorNonce, evaluating.choices));
    expect(codeOf(() => garbling.projectOutputs())).toBe('not_ready');
    expect(codeOf(() => evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
  });

  it('shares of the other circuit', () => {
    const activation = run({ name: 'activation only' });
    expect(codeOf(() => activation.garbling.inputColours())).toBe('circuit_mismatch');
    expect(codeOf(() => activation.evaluating.inputColours())).toBe('circuit_mismatch');
    const exporting = run({ name: 'export only', circuit: 'export' });
    expect(codeOf(() => exporting.garbling.projectOutputs())).toBe('circuit_mismatch');
    expect(codeOf(() => exporting.evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('circuit_mismatch');
  });

  it('ciphertexts of another length or above the order', () => {
    const { garbling, evaluating } = run({ name: 'ciphertexts', circuit: 'export' });
    const { ciphertexts } = garbling.projectInputs();
    const large = ciphertexts.slice();
    large.fill(0xff, 64, 96);
    for (const bytes of [ciphertexts.subarray(32), Uint8Array.of(...ciphertexts, 0), large]) {
      expect(codeOf(() => evaluating.inputShare(bytes))).toBe('frame_invalid');
    }
  });

  it('everything once wiped', () => {
    const { garbling, evaluating } = run({ name: 'wiped', circuit: 'export' });
    const { ciphertexts } = garbling.projectInputs();
    garbling.wipe();
    evaluating.wipe();
    for (const use of [
      () => garbling.projectInputs(),
      () => garbling.inputColours(),
      () => garbling.nextTables(new Uint8Array(32)),
      () => evaluating.inputShare(ciphertexts),
      () => evaluating.inputColours(),
      () => evaluating.frameKeys.toGarbler.use(() => {}),
    ]) {
      expect(codeOf(use)).toBe('secret_wiped');
    }
  });
});
