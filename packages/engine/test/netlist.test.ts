import { SecretBytes } from '@streaming-yao/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Circuit,
  CircuitBuilder,
  circuitFigures,
  evaluatePacked,
  NetlistEvaluator,
  NetlistGarbler,
  readBristol,
} from '../src/index.ts';
import { codeOf, tape } from './fixtures.ts';
import { activeLabels, decode, LABEL, reveal } from './garbling.ts';

const INPUTS = 6;

/** Garbles `circuit` for one input and evaluates it, `gates` tables at a time. */
function compute(circuit: Circuit, input: number, name: string, gates: number): number[] {
  const random = tape(name);
  const [gateKey, delta, zeroLabels] = [random(32), random(16), random(LABEL * INPUTS)];
  delta[0] = delta[0]! | 1;
  const garbler = new NetlistGarbler({
    circuit,
    gateKey: SecretBytes.copy(gateKey),
    delta: SecretBytes.copy(delta),
    inputZeroLabels: SecretBytes.copy(zeroLabels),
  });
  const evaluator = new NetlistEvaluator({
    circuit,
    gateKey: SecretBytes.copy(gateKey),
    inputLabels: SecretBytes.own(activeLabels(zeroLabels, delta, (wire) => (input >> wire) & 1)),
  });
  const frame = new Uint8Array(32 * gates);
  let bytes = 0;
  for (let written = garbler.nextTables(frame); written > 0; written = garbler.nextTables(frame)) {
    evaluator.acceptTables(frame.subarray(0, written));
    bytes += written;
  }
  expect(bytes).toBe(circuitFigures(circuit).tableBytes);
  const bits = decode(reveal(garbler.outputZeroLabels()), delta, reveal(evaluator.outputLabels()));
  garbler.wipe();
  evaluator.wipe();
  return bits;
}

const plain = (circuit: Circuit, input: number): number[] => {
  const [packed] = evaluatePacked(circuit, [Uint8Array.of(input)]);
  return Array.from(circuit.outputs, (_, i) => (packed![i >> 3]! >> (i & 7)) & 1);
};

describe('garbling any circuit', () => {
  it('computes what it computes in the clear, whatever the gates and frames', () => {
    const gate = fc.tuple(fc.boolean(), fc.nat(500), fc.nat(500));
    const shape = fc.record({
      gates: fc.array(gate, { maxLength: 30 }),
      outputs: fc.array(fc.nat(500), { minLength: 1, maxLength: 8 }),
      input: fc.nat(63),
      frame: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(shape, ({ gates, outputs, input, frame }) => {
        const builder = new CircuitBuilder();
        const literals = [0, 1, ...builder.input(INPUTS)];
        const pick = (choice: number): number => literals[(choice >> 1) % literals.length]! ^ (choice & 1);
        for (const [and, left, right] of gates)
          literals.push(and ? builder.and(pick(left), pick(right)) : builder.xor(pick(left), pick(right)));
        const circuit = builder.finish(outputs.map(pick));
        expect(compute(circuit, input, `${gates.length} ${input}`, frame)).toEqual(plain(circuit, input));
      }),
      { numRuns: 200 },
    );
  });

  it("runs another program's circuit", () => {
    const majority = readBristol('4 10\n2 3 3\n1 1\n\n2 1 0 1 6 XOR\n2 1 0 2 7 XOR\n2 1 6 7 8 AND\n2 1 0 8 9 XOR\n');
    for (let input = 0; input < 8; input++) {
      const ones = [0, 1, 2].filter((i) => (input >> i) & 1).length;
      expect(compute(majority, input, 'majority', 1)).toEqual([ones >= 2 ? 1 : 0]);
    }
  });

  it('stops at the number of gates of that circuit', () => {
    const builder = new CircuitBuilder();
    const [a, b] = builder.input(2) as [number, number];
    const circuit = builder.finish([builder.and(a, b)]);
    const evaluator = new NetlistEvaluator({
      circuit,
      gateKey: SecretBytes.own(new Uint8Array(32)),
      inputLabels: SecretBytes.own(new Uint8Array(32)),
    });
    expect(codeOf(() => evaluator.acceptTables(new Uint8Array(64)))).toBe('frame_invalid');
    expect(codeOf(() => evaluator.outputLabels())).toBe('not_ready');
    evaluator.acceptTables(new Uint8Array(32));
    expect(evaluator.complete).toBe(true);
  });
});
