import { sha256 } from '@noble/hashes/sha2.js';
import { utf8, Writer } from '@streaming-yao/core';

/**
 * A wire together with an optional negation: `2 * wire + negated`. Wire 0 is the constant false, so literal 0 is
 * false and literal 1 is true. Negation costs nothing in a garbled circuit with free XOR.
 */
export type Literal = number;

export const FALSE: Literal = 0;
export const TRUE: Literal = 1;

export const XOR = 0;
export const AND = 1;

/**
 * A Boolean circuit of XOR and AND gates. Wires are numbered: 0 is the constant false, then the inputs, then one wire
 * per gate in evaluation order. No gate reads a constant, no XOR reads a negated wire.
 */
export interface Circuit {
  /** Bits of each input value, in wire order. */
  readonly inputSizes: readonly number[];
  /** Bits of each output value, in the order of {@link outputs}. */
  readonly outputSizes: readonly number[];
  /** {@link XOR} or {@link AND}, one per gate. */
  readonly kinds: Uint8Array;
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly outputs: Uint32Array;
}

/** Gates and bytes of a circuit. */
export interface CircuitFigures {
  readonly and: number;
  readonly xor: number;
  /** Largest number of AND gates on one path from an input to an output. */
  readonly depth: number;
  /** Bytes of a half-gates table of the whole circuit: 32 per AND. */
  readonly tableBytes: number;
}

export const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

/** Counts what a garbling of `circuit` costs. */
export function circuitFigures(circuit: Circuit): CircuitFigures {
  const { kinds, left, right } = circuit;
  const first = 1 + sum(circuit.inputSizes);
  const depths = new Uint32Array(first + kinds.length);
  let and = 0;
  for (let gate = 0; gate < kinds.length; gate++) {
    const deepest = Math.max(depths[left[gate]! >> 1]!, depths[right[gate]! >> 1]!);
    depths[first + gate] = deepest + kinds[gate]!;
    and += kinds[gate]!;
  }
  const depth = circuit.outputs.reduce((most, literal) => Math.max(most, depths[literal >> 1]!), 0);
  return { and, xor: kinds.length - and, depth, tableBytes: 32 * and };
}

function littleEndian(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  return bytes;
}

/**
 * The canonical encoding: a domain tag, sizes of the inputs and outputs and the number of gates (four bytes big-endian each),
 * one kind byte per gate, then the left literals, right literals and outputs as little-endian words.
 */
export function encodeCircuit(circuit: Circuit): Uint8Array {
  const writer = new Writer();
  const tag = utf8('streaming-yao/1 circuit');
  writer.uint(tag.length, 1);
  writer.raw(tag);
  for (const sizes of [circuit.inputSizes, circuit.outputSizes]) {
    writer.uint(sizes.length, 4);
    for (const size of sizes) writer.uint(size, 4);
  }
  writer.prefixed(circuit.kinds);
  for (const literals of [circuit.left, circuit.right, circuit.outputs]) writer.raw(littleEndian(literals));
  return writer.finish();
}

/** SHA-256 of {@link encodeCircuit}, 32 bytes. */
export function circuitId(circuit: Circuit): Uint8Array {
  return sha256(encodeCircuit(circuit));
}
