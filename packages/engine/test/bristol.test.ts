import { toHex } from '@streaming-yao/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBristol, writeBristol } from '../src/circuit/bristol.ts';
import { CircuitBuilder } from '../src/circuit/builder.ts';
import { CIRCUITS } from '../src/circuit/ceremony-circuits.ts';
import { type Circuit, circuitFigures, circuitId } from '../src/circuit/circuit.ts';
import { evaluatePacked } from '../src/circuit/evaluate.ts';
import { ceremonyCircuit } from '../src/garble/twin.ts';
import { codeOf } from './fixtures.ts';

/** Two 2-bit numbers to their sum, as another program may write it, with every kind of gate. */
const ADDER = `11 15
2 2 2
2 2 2

2 1 0 2 4 XOR
2 1 0 2 5 AND
2 1 1 3 6 XOR
2 1 6 5 7 XOR
1 1 7 8 INV
1 1 1 9 EQ
2 1 8 9 10 XOR
1 1 4 11 EQW
1 1 10 12 EQW
1 1 0 13 EQ
1 1 0 14 EQW
`;

/** A circuit out of a list of choices: every gate takes two earlier literals. */
function circuitOf(choices: readonly (readonly [boolean, number, number])[], outputs: readonly number[]): Circuit {
  const builder = new CircuitBuilder();
  const literals = [0, 1, ...builder.input(3), ...builder.input(5)];
  for (const [and, left, right] of choices) {
    const [a, b] = [literals[(left >> 1) % literals.length]! ^ (left & 1), literals[right % literals.length]!];
    literals.push(and ? builder.and(a, b) : builder.xor(a, b));
  }
  return builder.finish(outputs.map((place) => literals[(place >> 1) % literals.length]! ^ (place & 1)));
}

const everyInput = Array.from({ length: 256 }, (_, i) => Uint8Array.of(i));

describe('Bristol Fashion', () => {
  it.each(['activation', 'export'] as const)(
    '%s comes back gate for gate',
    (name) => {
      expect(toHex(circuitId(readBristol(writeBristol(ceremonyCircuit(name)))))).toBe(toHex(CIRCUITS[name].id));
    },
    240_000,
  );

  it('any circuit comes back the same', () => {
    const gate = fc.tuple(fc.boolean(), fc.nat(200), fc.nat(200));
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 40 }), fc.array(fc.nat(200), { minLength: 1, maxLength: 8 }), (gates, outputs) => {
        const circuit = circuitOf(gates, outputs);
        const back = readBristol(writeBristol(circuit));
        expect(toHex(circuitId(back))).toBe(toHex(circuitId(circuit)));
        expect(evaluatePacked(back, everyInput)).toEqual(evaluatePacked(circuit, everyInput));
      }),
    );
  });

  it("reads another program's circuit and folds it", () => {
    const circuit = readBristol(ADDER);
    expect(circuit.inputSizes).toEqual([2, 2]);
    expect(circuit.outputSizes).toEqual([2, 2]);
    expect(circuitFigures(circuit)).toEqual({ and: 1, xor: 3, depth: 1, tableBytes: 32 });
    for (let a = 0; a < 4; a++) {
      for (let b = 0; b < 4; b++) {
        const [answer] = evaluatePacked(circuit, [Uint8Array.of(a | (b << 2))]);
        // The outputs are the last four wires: two bits of the sum, constant false, input bit 0.
        expect(answer![0]!).toBe(((a + b) & 3) | ((a & 1) << 3));
      }
    }
  });

  it('accepts blank lines, tabs and carriage returns', () => {
    const loose = ADDER.replaceAll('\n', '\r\n').replaceAll(' ', '\t').replace('\t', '  ');
    expect(toHex(circuitId(readBristol(`\n${loose}\n\n`)))).toBe(toHex(circuitId(readBristol(ADDER))));
  });
});

describe('malformed circuits are refused', () => {
  const lines = ADDER.split('\n');
  const withLine = (number: number, fields: readonly string[]): string => lines.with(number, fields.join(' ')).join('\n');

  it('cut short anywhere', () => {
    for (let length = 0; length < ADDER.length; length++) {
      const cut = ADDER.slice(0, length);
      expect(
        codeOf(() => readBristol(cut)),
        JSON.stringify(cut.slice(-20)),
      ).toBe('circuit_invalid');
    }
  });

  it('with anything after the last gate', () => {
    for (const more of ['0', 'x', lines.at(-2)!, '\u0000']) {
      expect(
        codeOf(() => readBristol(`${ADDER}${more}\n`)),
        more,
      ).toBe('circuit_invalid');
    }
  });

  it('with any field of header or gates out of range, not a number, missing or doubled', () => {
    const bad = ['-1', '1e3', '0x1', '007', '', '15', '99999999', '999999999999999999999', 'NaN', '1.0', 'AND', '٣'];
    lines.forEach((line, number) => {
      const fields = line.split(' ');
      if (line === '') return;
      fields.forEach((field, place) => {
        const last = place === fields.length - 1 && number > 3;
        for (const replacement of bad) {
          if (replacement === field || (last && replacement === 'AND')) continue;
          const text = withLine(number, fields.with(place, replacement));
          expect(
            codeOf(() => readBristol(text)),
            `line ${number + 1}: ${field} -> ${replacement}`,
          ).toBe('circuit_invalid');
        }
        for (const changed of [fields.toSpliced(place, 1), fields.toSpliced(place, 0, field)]) {
          const text = withLine(number, changed);
          expect(
            codeOf(() => readBristol(text)),
            `line ${number + 1}: ${changed.join(' ')}`,
          ).toBe('circuit_invalid');
        }
      });
    });
  });

  it.each([
    ['a wire used before it is defined', '2 1 0 2 4 XOR', '2 1 0 9 4 XOR'],
    ['a wire defined twice', '2 1 0 2 5 AND', '2 1 0 2 4 AND'],
    ['an input defined', '2 1 0 2 4 XOR', '2 1 0 2 3 XOR'],
    ['a gate that reads itself', '1 1 7 8 INV', '1 1 8 8 INV'],
    ['an unknown gate', '2 1 0 2 5 AND', '2 1 0 2 5 NAND'],
    ['a lower-case gate', '2 1 0 2 5 AND', '2 1 0 2 5 and'],
    ['a gate named like a property', '2 1 0 2 5 AND', '2 1 0 2 5 constructor'],
    ['a constant that is none', '1 1 1 9 EQ', '1 1 2 9 EQ'],
    ['an AND of one', '2 1 0 2 5 AND', '1 1 0 5 AND'],
    ['two outputs', '1 1 7 8 INV', '1 2 7 8 INV'],
    ['more gates than announced', '11 15', '10 14'],
    ['fewer gates than announced', '11 15', '12 16'],
    ['wires that do not add up', '11 15', '11 16'],
    ['more outputs than wires', '2 2 2\n\n', '2 2 14\n\n'],
    ['an input without bits', '2 2 2\n2', '3 2 2 0\n2'],
  ])('%s', (_, line, replacement) => {
    expect(ADDER).toContain(line);
    expect(codeOf(() => readBristol(ADDER.replace(line, replacement)))).toBe('circuit_invalid');
  });

  it('and random damage never does anything but read or refuse', () => {
    fc.assert(
      fc.property(fc.nat(ADDER.length - 1), fc.integer({ min: 9, max: 126 }), (place, code) => {
        const text = `${ADDER.slice(0, place)}${String.fromCharCode(code)}${ADDER.slice(place + 1)}`;
        expect(['circuit_invalid', 'no error']).toContain(codeOf(() => readBristol(text)));
      }),
      { numRuns: 500 },
    );
  });
});
