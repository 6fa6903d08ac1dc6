import { utf8 } from '@streaming-yao/core';
import { circuitId, exportCircuit, readBristol, writeBristol } from '@streaming-yao/engine';
import { expectSame, typed } from '../finding.ts';
import type { Target } from '../target.ts';

const ADDER = ['5 8', '2 1 2', '1 2', '2 1 0 1 3 XOR', '2 1 0 1 4 AND', '1 1 4 5 INV', '1 1 1 6 EQ', '1 1 3 7 EQW', ''].join(
  '\n',
);

/** A few bytes that promise as much as the format lets them. */
const PROMISES = ['0 16777216\n1 16777216\n1 1\n', '16777214 16777216\n1 2\n1 1\n2 1 0 1 2 XOR\n'];

export const bristolTarget: Target = {
  name: 'bristol',
  about: 'circuits in Bristol Fashion',
  maxBytes: 64 * 1024,
  batch: 256,
  allocatedBytes: 32 * 1024 * 1024,
  seeds: () => [ADDER, writeBristol(exportCircuit()), ...PROMISES].map(utf8),
  run: (input) => {
    const circuit = typed(() => readBristol(new TextDecoder().decode(input)));
    // A text may be written in more than one way; the circuit that it means is the same when written and read again.
    if (circuit) expectSame(circuitId(circuit), circuitId(readBristol(writeBristol(circuit))), 'a circuit');
  },
};
