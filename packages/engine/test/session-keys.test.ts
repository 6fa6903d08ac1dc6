import { SecretBytes, toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { type SessionContext, SessionKeys } from '../src/session-keys.ts';
import { CIRCUIT_IDS } from '../src/sizes.ts';
import { tape } from './fixtures.ts';

const random = tape('session keys');
const SECRET = random(32);
const TICKET = { pairingId: random(32), counter: 7 };
const CONTEXT: SessionContext = { ceremonyId: random(32), circuit: 'activation', profile: 'passive', garblerNonce: random(32) };
const NONCE = random(32);

interface Inputs {
  readonly secret?: Uint8Array;
  readonly ticket?: typeof TICKET;
  readonly circuitId?: Uint8Array;
  readonly context?: SessionContext;
  readonly nonce?: Uint8Array;
}

function keysOf(inputs: Inputs = {}): Record<string, string> {
  const { secret = SECRET, ticket = TICKET, circuitId = CIRCUIT_IDS.activation, context = CONTEXT, nonce = NONCE } = inputs;
  const keys = new SessionKeys(SecretBytes.copy(secret), ticket, circuitId, context);
  const all: Record<string, SecretBytes> = { ...keys.opening(), ...keys.joint(nonce) };
  return Object.fromEntries(Object.entries(all).map(([name, key]) => [name, key.use((bytes) => toHex(bytes))]));
}

const OPENING = ['gate', 'toEvaluator', 'toGarbler'];
const JOINT = ['projection', 'columns', 'coefficients', 'proof', 'pads'];

describe('keys of one session', () => {
  it('are eight different ones of 32 bytes', () => {
    const keys = keysOf();
    expect(Object.keys(keys).sort()).toEqual([...OPENING, ...JOINT].sort());
    expect(new Set(Object.values(keys)).size).toBe(8);
    for (const key of Object.values(keys)) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are a function of their inputs', () => {
    expect(keysOf()).toEqual(keysOf());
  });

  const other = random(32);
  it.each<[string, Inputs]>([
    ["the ticket's secret", { secret: other }],
    ['the pairing', { ticket: { ...TICKET, pairingId: other } }],
    ['the counter', { ticket: { ...TICKET, counter: 8 } }],
    ['the circuit', { circuitId: CIRCUIT_IDS.export }],
    ['the ceremony', { context: { ...CONTEXT, ceremonyId: other } }],
    ['the profile', { context: { ...CONTEXT, profile: 'passive ' } }],
    ["the garbler's nonce", { context: { ...CONTEXT, garblerNonce: other } }],
  ])('all change with %s', (_, inputs) => {
    const [before, after] = [keysOf(), keysOf(inputs)];
    for (const name of [...OPENING, ...JOINT]) expect(after[name]).not.toBe(before[name]);
  });

  it("change with the evaluator's nonce, but for those that leave before it is known", () => {
    const [before, after] = [keysOf(), keysOf({ nonce: other })];
    for (const name of JOINT) expect(after[name]).not.toBe(before[name]);
    for (const name of OPENING) expect(after[name]).toBe(before[name]);
  });

  it('never meet over many sessions of one ticket', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200; i++) {
      const keys = keysOf({ context: { ...CONTEXT, garblerNonce: random(32) } });
      for (const key of Object.values(keys)) seen.add(key);
    }
    expect(seen.size).toBe(200 * 8);
  });
});
