import { YaoError } from '@streaming-yao/core';
import { CircuitBuilder } from './builder.ts';
import { type Circuit, FALSE, type Literal, sum, TRUE, XOR } from './circuit.ts';

// Bristol Fashion (Archer, Abril, Lu, Maene, Mertens, Sijacic, Smart): a line with the numbers of gates and wires, a line with
// the sizes of the inputs, one with those of the outputs, then one gate a line. Inputs are the first wires, outputs the last.

const MAX_WIRES = 2 ** 24;
/** Gates take a line each; inputs would take memory that no text pays for. */
const MAX_INPUT_BITS = 2 ** 16;
const MAX_VALUES = 2 ** 16;

/** Numbers of inputs and outputs that a gate line of each kind must state. */
const GATES = {
  AND: { inputs: 2 },
  XOR: { inputs: 2 },
  INV: { inputs: 1 },
  EQW: { inputs: 1 },
  EQ: { inputs: 1 },
} as const satisfies Record<string, { inputs: number }>;

type GateName = keyof typeof GATES;

const isGateName = (name: string | undefined): name is GateName => name !== undefined && Object.hasOwn(GATES, name);

function invalid(line: number, problem: string): never {
  throw new YaoError('circuit_invalid', `line ${line}: ${problem}`);
}

/** Lines that hold something, cut at white space, with their numbers for error messages. */
class Lines {
  readonly #lines: string[];
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  /** @returns the fields of the next line that is not blank, or nothing at the end */
  next(): string[] | undefined {
    while (this.#next < this.#lines.length) {
      const fields = this.#lines[this.#next++]!.trim().split(/[ \t]+/);
      if (fields[0] !== '') return fields;
    }
    return undefined;
  }

  get number(): number {
    return this.#next;
  }

  get left(): number {
    return this.#lines.length - this.#next;
  }

  expect(what: string): string[] {
    return this.next() ?? invalid(this.number, `the text ends where ${what} should stand`);
  }

  integer(field: string | undefined, max: number, what: string): number {
    if (field === undefined || !/^(0|[1-9]\d{0,8})$/.test(field) || Number(field) > max) {
      return invalid(this.number, `${what} must be a whole number from 0 to ${max}, not "${(field ?? '').slice(0, 20)}"`);
    }
    return Number(field);
  }
}

/** A line with a count and that many sizes. */
function readSizes(lines: Lines, what: string): number[] {
  const fields = lines.expect(`the sizes of the ${what}s`);
  const count = lines.integer(fields[0], MAX_VALUES, `the number of ${what}s`);
  if (fields.length !== count + 1) invalid(lines.number, `${count} sizes were announced and ${fields.length - 1} follow`);
  const sizes = fields.slice(1).map((field) => lines.integer(field, MAX_WIRES, `the size of an ${what}`));
  if (sizes.includes(0)) invalid(lines.number, `an ${what} has at least one bit`);
  return sizes;
}

interface Header {
  readonly gates: number;
  readonly wires: number;
  readonly inputSizes: readonly number[];
  readonly outputSizes: readonly number[];
}

function readHeader(lines: Lines): Header {
  const counts = lines.expect('the numbers of gates and wires');
  if (counts.length !== 2) invalid(lines.number, 'the first line holds the number of gates and the number of wires');
  const gates = lines.integer(counts[0], MAX_WIRES, 'the number of gates');
  const wires = lines.integer(counts[1], MAX_WIRES, 'the number of wires');
  const inputSizes = readSizes(lines, 'input');
  const outputSizes = readSizes(lines, 'output');
  if (sum(inputSizes) > MAX_INPUT_BITS) invalid(lines.number, `the inputs have more than ${MAX_INPUT_BITS} bits`);
  if (gates > lines.left) invalid(lines.number, `${gates} gates were announced and ${lines.left} lines follow`);
  if (wires !== sum(inputSizes) + gates) invalid(lines.number, 'wires must be the inputs and one for each gate');
  if (sum(outputSizes) > wires) invalid(lines.number, 'there are more outputs than wires');
  return { gates, wires, inputSizes, outputSizes };
}

/** Reads one gate line and defines the wire it makes. */
function readGate(lines: Lines, builder: CircuitBuilder, wires: (Literal | undefined)[]): void {
  const fields = lines.expect('a gate');
  const name = fields.at(-1);
  if (!isGateName(name)) invalid(lines.number, `unknown gate "${(name ?? '').slice(0, 20)}"`);
  const { inputs } = GATES[name];
  const stated = [0, 1].map((i) => lines.integer(fields[i], 2, 'a count of wires'));
  if (stated[0] !== inputs || stated[1] !== 1 || fields.length !== inputs + 4) {
    invalid(lines.number, `${name} has ${inputs} inputs and 1 output`);
  }
  const target = lines.integer(fields[inputs + 2], wires.length - 1, 'the output wire');
  if (wires[target] !== undefined) invalid(lines.number, `wire ${target} is defined twice`);
  if (name === 'EQ') {
    wires[target] = lines.integer(fields[2], 1, 'the constant') === 1 ? TRUE : FALSE;
    return;
  }
  const read = (i: number): Literal => {
    const wire = lines.integer(fields[2 + i], wires.length - 1, 'an input wire');
    return wires[wire] ?? invalid(lines.number, `wire ${wire} is used before it is defined`);
  };
  const left = read(0);
  if (name === 'AND') wires[target] = builder.and(left, read(1));
  else if (name === 'XOR') wires[target] = builder.xor(left, read(1));
  else wires[target] = name === 'INV' ? builder.not(left) : left;
}

/**
 * Reads a circuit in Bristol Fashion. Constants are folded, negations and copies vanish, equal gates become one and gates that
 * nothing depends on are dropped: what remains computes the same.
 * @throws YaoError `circuit_invalid` for anything that is not exactly one well-formed circuit
 */
export function readBristol(text: string): Circuit {
  const lines = new Lines(text);
  // "EQW" cut short is "EQ": only the end of its line shows that a gate is whole.
  if (!text.endsWith('\n')) throw new YaoError('circuit_invalid', 'the last line is not ended');
  const { gates, wires, inputSizes, outputSizes } = readHeader(lines);
  const builder = new CircuitBuilder();
  const literals: (Literal | undefined)[] = inputSizes.flatMap((size) => builder.input(size));
  literals.length = wires;
  for (let i = 0; i < gates; i++) readGate(lines, builder, literals);
  if (lines.next()) invalid(lines.number, 'the circuit is complete and more follows');
  // As many gates as wires beyond the inputs, none of them twice: every wire is defined.
  const outputs = literals.slice(wires - sum(outputSizes)) as Literal[];
  return builder.finish(outputs, outputSizes);
}

/** Collects gate lines and numbers the wires they make. */
class GateWriter {
  readonly lines: string[] = [];
  readonly #inverted = new Map<number, number>();
  #wires: number;

  constructor(inputs: number) {
    this.#wires = inputs;
  }

  get wires(): number {
    return this.#wires;
  }

  gate(name: GateName, ...inputs: number[]): number {
    this.lines.push(`${inputs.length} 1 ${inputs.join(' ')} ${this.#wires} ${name}`);
    return this.#wires++;
  }

  inverted(wire: number): number {
    const made = this.#inverted.get(wire) ?? this.gate('INV', wire);
    this.#inverted.set(wire, made);
    return made;
  }
}

/** Writes `circuit` in Bristol Fashion, with INV for negations, EQ for constants and EQW for copies to the outputs. */
export function writeBristol(circuit: Circuit): string {
  const { inputSizes, outputSizes, kinds, left, right, outputs } = circuit;
  const writer = new GateWriter(sum(inputSizes));
  /** Place of each of the circuit's wires behind the constant. */
  const places = Array.from({ length: sum(inputSizes) }, (_, i) => i);
  const read = (literal: Literal): number => {
    const place = places[(literal >> 1) - 1]!;
    return literal & 1 ? writer.inverted(place) : place;
  };
  kinds.forEach((kind, gate) => {
    places.push(writer.gate(kind === XOR ? 'XOR' : 'AND', read(left[gate]!), read(right[gate]!)));
  });
  for (const literal of outputs) {
    if (literal <= TRUE) writer.gate('EQ', literal);
    else writer.gate(literal & 1 ? 'INV' : 'EQW', places[(literal >> 1) - 1]!);
  }
  const sizes = (values: readonly number[]): string => [values.length, ...values].join(' ');
  const header = [`${writer.lines.length} ${writer.wires}`, sizes(inputSizes), sizes(outputSizes), ''];
  return [...header, ...writer.lines, ''].join('\n');
}
