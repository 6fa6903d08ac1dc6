import { ristretto255 } from '@noble/curves/ed25519.js';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { bitAt } from '../src/ot/base.ts';
import { answerPairing, finishPairing, PAIRING_MESSAGE_BYTES, PAIRING_REPLY_BYTES, startPairing } from '../src/ot/handshake.ts';
import { EvaluatorPairing, GarblerPairing } from '../src/ot/pairing.ts';
import { TICKET_WINDOW } from '../src/ot/ratchet.ts';
import type { EvaluatorTicket, GarblerTicket } from '../src/ot/ticket.ts';
import { CONTEXT, codeOf, flipped, group, pairings, tape } from './fixtures.ts';
import { nobleRistretto } from './noble-ristretto.ts';

function reveal(ticket: GarblerTicket | EvaluatorTicket) {
  const keys = ticket.spend();
  const { secret, seeds } = keys;
  return { secret: secret.use((bytes) => toHex(bytes)), seeds: seeds.use((bytes) => toHex(bytes)), keys };
}

/** Asserts that the garbler's seeds are the evaluator's chosen by the base-OT choices, and not the others. */
function expectMatching(garbler: GarblerTicket, evaluator: EvaluatorTicket): void {
  const keys = garbler.spend();
  const choices = keys.choices.use((bytes) => bytes.slice());
  const seeds = keys.seeds.use((bytes) => toHex(bytes));
  const other = reveal(evaluator);
  expect(keys.secret.use((bytes) => toHex(bytes))).toBe(other.secret);
  for (let column = 0; column < 128; column++) {
    const own = seeds.slice(column * 32, column * 32 + 32);
    const pair = [0, 1].map((branch) => other.seeds.slice((2 * column + branch) * 32, (2 * column + branch) * 32 + 32));
    const choice = bitAt(choices, column);
    expect(own).toBe(pair[choice]);
    expect(own).not.toBe(pair[1 - choice]);
  }
}

describe('pairing', () => {
  it('gives both sides one id, one secret and matching seeds', () => {
    const { garbler, evaluator, message, reply } = pairings();
    expect(message.length).toBe(PAIRING_MESSAGE_BYTES);
    expect(reply.length).toBe(PAIRING_REPLY_BYTES);
    expect(toHex(garbler.id)).toBe(toHex(evaluator.id));
    for (const counter of [0, 1, 2]) expectMatching(garbler.takeTicket(counter), evaluator.takeTicket(counter));
  });

  it('draws the choices from the random source, both ways', () => {
    const choices = pairings()
      .garbler.takeTicket(0)
      .spend()
      .choices.use((bytes) => bytes.slice());
    const ones = Array.from({ length: 128 }, (_, i) => bitAt(choices, i)).reduce((sum, bit) => sum + bit);
    expect(ones).toBeGreaterThan(32);
    expect(ones).toBeLessThan(96);
  });

  it('is a function of the random source', () => {
    const { message } = pairings();
    expect(toHex(startPairing(group, tape('pairing garbler'), CONTEXT).message)).toBe(toHex(message));
    expect(toHex(startPairing(group, tape('another'), CONTEXT).message)).not.toBe(toHex(message));
  });

  it('gives the same bytes over @noble/curves', () => {
    const { message, reply, pending, garbler, evaluator } = pairings();
    const oracle = { ristretto: nobleRistretto, reduceScalar: (bytes: SecretBytes) => group.reduceScalar(bytes) };
    expect(toHex(startPairing(oracle, tape('pairing garbler'), CONTEXT).message)).toBe(toHex(message));
    const answer = answerPairing(oracle, tape('pairing evaluator'), CONTEXT, message);
    expect(toHex(answer.reply)).toBe(toHex(reply));
    const stored = (pairing: GarblerPairing | EvaluatorPairing) => pairing.export().use((bytes) => toHex(bytes));
    expect(stored(answer.pairing)).toBe(stored(evaluator));
    expect(stored(finishPairing(oracle, pending, CONTEXT, reply))).toBe(stored(garbler));
  });

  it('refuses messages of a wrong length', () => {
    const { message, reply, pending } = pairings();
    for (const bytes of [message.subarray(1), new Uint8Array([...message, 0]), new Uint8Array()]) {
      expect(codeOf(() => answerPairing(group, tape('b'), CONTEXT, bytes))).toBe('pairing_invalid');
    }
    for (const bytes of [reply.subarray(1), new Uint8Array([...reply, 0]), new Uint8Array()]) {
      expect(codeOf(() => finishPairing(group, pending, CONTEXT, bytes))).toBe('pairing_invalid');
    }
  });

  it('refuses a flipped bit anywhere in the reply', () => {
    const { reply, pending } = pairings();
    for (let bit = 0; bit < reply.length * 8; bit += 7) {
      const state = pending.map((bytes) => bytes.slice());
      expect(codeOf(() => finishPairing(group, state, CONTEXT, flipped(reply, bit)))).toBe('pairing_invalid');
    }
  });

  it('refuses a flipped message, at once or when the reply comes back', () => {
    const { message, pending } = pairings();
    for (const bit of [3, 32 * 8 + 5, 4_000 * 8 + 1, 8_191 * 8 + 7, PAIRING_MESSAGE_BYTES * 8 - 1, 64 * 8 * 77 + 100]) {
      const outcome = codeOf(() => {
        const { reply } = answerPairing(group, tape('b'), CONTEXT, flipped(message, bit));
        finishPairing(group, pending, CONTEXT, reply);
      });
      expect(outcome).toBe('pairing_invalid');
    }
  });

  it.each([
    ['a non-canonical field element', new Uint8Array(32).fill(0xff)],
    ['a negative field element', Uint8Array.of(1, ...new Uint8Array(31))],
    ['the identity', new Uint8Array(32)],
    ['an Ed25519 point that is no ristretto255 encoding', Uint8Array.of(0x58, ...new Uint8Array(31).fill(0x66))],
  ])('refuses %s wherever an element stands', (_, element) => {
    const { message, reply, pending } = pairings();
    for (const offset of [0, 32, 8_128, 8_192]) {
      const altered = message.slice();
      altered.set(element, offset);
      expect(codeOf(() => answerPairing(group, tape('b'), CONTEXT, altered))).toBe('pairing_invalid');
    }
    for (const offset of [0, 32]) {
      const altered = reply.slice();
      altered.set(element, offset);
      expect(codeOf(() => finishPairing(group, pending, CONTEXT, altered))).toBe('pairing_invalid');
    }
  });

  it('refuses the reply to another pairing, another context and a state that is none', () => {
    const { pending, reply, evaluator } = pairings();
    const other = answerPairing(group, tape('c'), CONTEXT, startPairing(group, tape('other'), CONTEXT).message);
    expect(codeOf(() => finishPairing(group, pending, CONTEXT, other.reply))).toBe('pairing_invalid');
    expect(codeOf(() => finishPairing(group, pending, Uint8Array.of(1), reply))).toBe('pairing_invalid');
    expect(codeOf(() => finishPairing(group, evaluator.export(), CONTEXT, reply))).toBe('pairing_invalid');
    const later = pending.map((bytes) => Uint8Array.of(2, ...bytes.subarray(1)));
    expect(codeOf(() => finishPairing(group, later, CONTEXT, reply))).toBe('pairing_invalid');
  });

  it('wipes the pending state once it is used', () => {
    const { pending, reply } = pairings();
    finishPairing(group, pending, CONTEXT, reply);
    expect(pending.wiped).toBe(true);
    expect(codeOf(() => finishPairing(group, pending, CONTEXT, reply))).toBe('secret_wiped');
  });

  it('sends group elements of which the receiver knows at most one logarithm by chance only', () => {
    const { message } = pairings();
    const encodings = new Set<string>();
    for (let at = 0; at < message.length; at += 32)
      encodings.add(ristretto255.Point.fromBytes(message.subarray(at, at + 32)).toHex());
    expect(encodings.size).toBe(257);
  });
});

describe('tickets', () => {
  it('are refused twice by both sides, also after export and import', () => {
    const { garbler, evaluator } = pairings();
    for (const pairing of [garbler, evaluator]) {
      pairing.takeTicket(0);
      expect(codeOf(() => pairing.takeTicket(0))).toBe('ticket_spent');
    }
    expect(codeOf(() => GarblerPairing.import(garbler.export()).takeTicket(0))).toBe('ticket_spent');
    expect(codeOf(() => EvaluatorPairing.import(evaluator.export()).takeTicket(0))).toBe('ticket_spent');
  });

  it('hand out their keys once', () => {
    const ticket = pairings().garbler.takeTicket(0);
    ticket.spend();
    expect(codeOf(() => ticket.spend())).toBe('ticket_spent');
    const wiped = pairings().evaluator.takeTicket(0);
    wiped.wipe();
    expect(codeOf(() => wiped.spend())).toBe('ticket_spent');
  });

  it('may come out of order inside the window and stay what they were', () => {
    const { garbler, evaluator } = pairings();
    const order = [3, 0, 2, 5, 1, 4];
    const inOrder = new Map(
      order.toSorted((left, right) => left - right).map((counter) => [counter, garbler.takeTicket(counter)]),
    );
    for (const counter of order) expectMatching(inOrder.get(counter) as GarblerTicket, evaluator.takeTicket(counter));
    expect(evaluator.nextCounter).toBe(6);
  });

  it('fall out of the window', () => {
    const { evaluator } = pairings();
    expect(codeOf(() => evaluator.takeTicket(TICKET_WINDOW))).toBe('ticket_spent');
    evaluator.takeTicket(TICKET_WINDOW - 1);
    evaluator.takeTicket(TICKET_WINDOW);
    expect(codeOf(() => evaluator.takeTicket(0))).toBe('ticket_spent');
    expect(evaluator.takeTicket(1).counter).toBe(1);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])('with counter %d do not exist', (counter) => {
    expect(codeOf(() => pairings().garbler.takeTicket(counter))).toBe('ticket_spent');
  });
});

describe('stored pairings', () => {
  it('carry on where they were, skipped tickets included', () => {
    const { garbler, evaluator } = pairings();
    evaluator.takeTicket(4);
    const restored = EvaluatorPairing.import(evaluator.export());
    expect(restored.nextCounter).toBe(5);
    expect(restored.export().use((bytes) => toHex(bytes))).toBe(evaluator.export().use((bytes) => toHex(bytes)));
    const tickets = [0, 1, 2, 3, 4, 5].map((counter) => garbler.takeTicket(counter));
    for (const counter of [5, 0, 3]) expectMatching(tickets[counter] as GarblerTicket, restored.takeTicket(counter));
  });

  it.each(['garbler', 'evaluator'] as const)('hold nothing of a spent ticket (%s)', (role) => {
    const pairing = pairings()[role];
    const before = pairing.export().use((bytes) => toHex(bytes.subarray(34)));
    const spent = [pairing.takeTicket(1), pairing.takeTicket(0)].map(reveal);
    const after = pairing.export().use((bytes) => toHex(bytes));
    const choices = role === 'garbler' ? 32 : 0;
    const oldKeys = before.slice(choices + 8, -2);
    for (const secrets of [oldKeys, ...spent.flatMap(({ secret, seeds }) => [secret, seeds])]) {
      for (let at = 0; at + 32 <= secrets.length; at += 32) expect(after).not.toContain(secrets.slice(at, at + 32));
    }
    expect(after).toContain(before.slice(0, choices));
  });

  it('are refused by the other role, in another format, damaged, cut or extended', () => {
    const { garbler, evaluator } = pairings();
    garbler.takeTicket(2);
    evaluator.takeTicket(2);
    expect(codeOf(() => GarblerPairing.import(evaluator.export()))).toBe('pairing_invalid');
    expect(codeOf(() => EvaluatorPairing.import(garbler.export()))).toBe('pairing_invalid');
    const stored = evaluator.export().use((bytes) => bytes.slice());
    const alterations = [
      stored.subarray(0, -1),
      Uint8Array.of(...stored, 0),
      new Uint8Array(),
      Uint8Array.of(2, ...stored.subarray(1)),
      stored.subarray(0, 40),
    ];
    for (const bytes of alterations) {
      expect(codeOf(() => EvaluatorPairing.import(SecretBytes.copy(bytes)))).toBe('pairing_invalid');
    }
  });

  it('are refused when they list a ticket twice, out of order or from the future', () => {
    const { evaluator } = pairings();
    evaluator.takeTicket(2);
    const stored = evaluator.export().use((bytes) => bytes.slice());
    const entry = 4 + 32 + 256 * 16;
    const first = stored.length - 2 * entry;
    for (const [at, value] of [
      [first + 3, 1],
      [first + entry + 3, 0],
      [first + entry + 3, 3],
      [first + 2, 1],
    ] as const) {
      const altered = stored.slice();
      altered[at] = value;
      expect(codeOf(() => EvaluatorPairing.import(SecretBytes.own(altered)))).toBe('pairing_invalid');
    }
  });

  it('give no ticket after they were wiped that fits the peer', () => {
    const { garbler, evaluator } = pairings();
    evaluator.wipe();
    expect(reveal(evaluator.takeTicket(0)).secret).not.toBe(reveal(garbler.takeTicket(0)).secret);
  });
});
