import { YaoError } from '@streaming-yao/core';
import { type Circuit, type Literal, sum, XOR } from './circuit.ts';

/**
 * Evaluates `circuit` in the clear for up to 32 inputs at once.
 * @param inputs one 32-bit word per input wire; bit k belongs to the k-th evaluation
 * @returns one such word per output
 * @throws YaoError `invalid_length` unless there is one word per input
 */
export function evaluateSliced(circuit: Circuit, inputs: Uint32Array): Uint32Array {
  const first = 1 + sum(circuit.inputSizes);
  if (inputs.length !== first - 1) {
    throw new YaoError('invalid_length', `the circuit has ${first - 1} inputs, got ${inputs.length}`);
  }
  const values = new Int32Array(first + circuit.kinds.length);
  values.set(inputs, 1);
  const read = (literal: Literal): number => values[literal >> 1]! ^ -(literal & 1);
  circuit.kinds.forEach((kind, gate) => {
    const left = read(circuit.left[gate]!);
    const right = read(circuit.right[gate]!);
    values[first + gate] = kind === XOR ? left ^ right : left & right;
  });
  return Uint32Array.from(circuit.outputs, read);
}

/**
 * Evaluates `circuit` in the clear on bits packed into bytes (bit i of a value is bit i & 7 of byte i >> 3).
 * @param inputs all input values' bits in wire order, one byte string per evaluation
 */
export function evaluatePacked(circuit: Circuit, inputs: readonly Uint8Array[]): Uint8Array[] {
  const inputBits = sum(circuit.inputSizes);
  const answers: Uint8Array[] = [];
  for (let start = 0; start < inputs.length; start += 32) {
    const group = inputs.slice(start, start + 32);
    const sliced = Uint32Array.from({ length: inputBits }, (_, i) =>
      group.reduce((word, bytes, k) => word | (((bytes[i >> 3]! >> (i & 7)) & 1) << k), 0),
    );
    const outputs = evaluateSliced(circuit, sliced);
    group.forEach((_, k) => {
      const packed = new Uint8Array(Math.ceil(outputs.length / 8));
      outputs.forEach((word, i) => {
        packed[i >> 3] = packed[i >> 3]! | (((word >>> k) & 1) << (i & 7));
      });
      answers.push(packed);
    });
  }
  return answers;
}
