import { fromHex } from '@streaming-yao/core';
import { CircuitBuilder } from './builder.ts';
import type { Circuit } from './circuit.ts';
import { sha512FirstHalf } from './sha512.ts';

/** The circuits of the ceremonies. */
export type CircuitName = 'activation' | 'export';

/** First and one-past-last digest bit that clamping (RFC 8032, section 5.1.5) leaves free. */
export const FREE_BITS = { first: 3, end: 254 } as const;

/** Seed bits to the free bits of the RFC 8032 scalar: 256 inputs, 251 outputs. */
export function activationCircuit(): Circuit {
  const builder = new CircuitBuilder();
  const digest = sha512FirstHalf(builder, builder.input(256));
  return builder.finish(digest.slice(FREE_BITS.first, FREE_BITS.end));
}

/** Seed bits straight to the outputs: 256 inputs, 256 outputs, no gate. */
export function exportCircuit(): Circuit {
  const builder = new CircuitBuilder();
  return builder.finish(builder.input(256));
}

interface CircuitFacts {
  /** Circuit id, see `circuitId`. */
  readonly id: Uint8Array;
  readonly inputs: number;
  readonly outputs: number;
  readonly and: number;
  readonly tableBytes: number;
}

const facts = (id: string, inputs: number, outputs: number, and: number): CircuitFacts => ({
  id: fromHex(id),
  inputs,
  outputs,
  and,
  tableBytes: 32 * and,
});

/** What both roles agree on before a ceremony, without building a netlist. A test derives all of it from the circuits. */
export const CIRCUITS: Readonly<Record<CircuitName, CircuitFacts>> = {
  activation: facts('a25812904ab6fa5834f1b065b072c8f9a9556b7f15ed8f7ebbaa0d97a34e3e47', 256, 251, 53_753),
  export: facts('46e6cc4570fa94f0c237af7c46614e1ea9b6cea52214e3044c33874affc58327', 256, 256, 0),
};
