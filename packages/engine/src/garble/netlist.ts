import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { type Circuit, type Literal, sum, XOR } from '../circuit/circuit.ts';
import { type Block, evaluateAnd, garbleAnd, xor } from './half-gates.ts';
import { blocksToSecret, putWords, toWords } from './labels.ts';
import { type EvaluatorOptions, type EvaluatorParty, GATE_BYTES, type GarblerOptions, type GarblerParty } from './party.ts';

/** One label per wire of a circuit, and the place up to which gates have been worked off. */
class Wires {
  readonly #circuit: Circuit;
  readonly #first: number;
  /** Four words a wire: an object for each would cost the collector more than the gates do. */
  readonly #labels: Uint32Array;
  /** What a negation adds to a label: the garbler's delta; nothing for the evaluator. */
  readonly #negation: Block;
  #gate = 0;
  /** AND gates worked off. */
  ands = 0;
  readonly totalAnds: number;

  constructor(circuit: Circuit, inputs: SecretBytes, negation: Block) {
    this.#circuit = circuit;
    this.#first = 1 + sum(circuit.inputSizes);
    this.#negation = negation;
    const words = inputs.use(toWords);
    this.#labels = new Uint32Array(4 * (this.#first + circuit.kinds.length));
    this.#labels.set(words, 4);
    this.totalAnds = circuit.kinds.reduce((ands, kind) => ands + kind, 0);
    words.fill(0);
  }

  read(literal: Literal): Block {
    const at = 4 * (literal >> 1);
    const label = this.#labels.subarray(at, at + 4);
    return literal & 1 ? xor(label, this.#negation) : label;
  }

  /** Works off XOR gates up to the next AND, and that with `and`; false when there is none left. */
  nextAnd(and: (gate: number, left: Block, right: Block) => Block): boolean {
    const { kinds, left, right } = this.#circuit;
    while (this.#gate < kinds.length) {
      const gate = this.#gate++;
      const [a, b] = [this.read(left[gate]!), this.read(right[gate]!)];
      const label = kinds[gate] === XOR ? xor(a, b) : and(this.ands++, a, b);
      this.#labels.set(label, 4 * (this.#first + gate));
      if (kinds[gate] !== XOR) return true;
    }
    return false;
  }

  /** @throws YaoError `not_ready` while AND gates are left */
  outputs(): SecretBytes {
    if (this.ands < this.totalAnds) throw new YaoError('not_ready', 'the circuit has tables left; pull or push them all first');
    this.nextAnd(() => this.#negation);
    return blocksToSecret(Array.from(this.#circuit.outputs, (literal) => this.read(literal).slice()));
  }

  wipe(): void {
    this.#labels.fill(0);
  }
}

function alive<T>(held: T | undefined): T {
  if (held === undefined) throw new YaoError('secret_wiped', 'this party was wiped; one ceremony needs one party');
  return held;
}

/** Garbles any circuit gate by gate: the readable counterpart of the kernel, byte for byte the same. */
export class NetlistGarbler implements GarblerParty {
  #held: { readonly wires: Wires; readonly key: Uint32Array; readonly delta: Block } | undefined;

  constructor(options: GarblerOptions<Circuit>) {
    const delta = options.delta.use(toWords);
    const wires = new Wires(options.circuit, options.inputZeroLabels, delta);
    this.#held = { wires, key: options.gateKey.use(toWords), delta };
  }

  nextTables(into: Uint8Array): number {
    const { wires, key, delta } = alive(this.#held);
    if (into.length < GATE_BYTES) throw new YaoError('invalid_length', 'the buffer is shorter than the table of one gate');
    let written = 0;
    const garble = (gate: number, a: Block, b: Block): Block => {
      const { generator, evaluator, output } = garbleAnd(key, delta, gate, a, b);
      putWords(generator, into, written);
      putWords(evaluator, into, written + GATE_BYTES / 2);
      written += GATE_BYTES;
      return output;
    };
    while (written + GATE_BYTES <= into.length && wires.nextAnd(garble));
    return written;
  }

  outputZeroLabels(): SecretBytes {
    return alive(this.#held).wires.outputs();
  }

  wipe(): void {
    this.#held?.wires.wipe();
    this.#held?.key.fill(0);
    this.#held?.delta.fill(0);
    this.#held = undefined;
  }
}

/** Evaluates any circuit gate by gate. */
export class NetlistEvaluator implements EvaluatorParty {
  #held: { readonly wires: Wires; readonly key: Uint32Array } | undefined;

  constructor(options: EvaluatorOptions<Circuit>) {
    const wires = new Wires(options.circuit, options.inputLabels, new Uint32Array(4));
    this.#held = { wires, key: options.gateKey.use(toWords) };
  }

  acceptTables(chunk: Uint8Array): void {
    const { wires, key } = alive(this.#held);
    checkTables(chunk, GATE_BYTES * (wires.totalAnds - wires.ands));
    const tables = toWords(chunk);
    for (let at = 0; at < tables.length; at += 8) {
      const [generator, evaluator] = [tables.subarray(at, at + 4), tables.subarray(at + 4, at + 8)];
      wires.nextAnd((gate, a, b) => evaluateAnd(key, gate, a, b, generator, evaluator));
    }
  }

  get complete(): boolean {
    const { wires } = alive(this.#held);
    return wires.ands === wires.totalAnds;
  }

  outputLabels(): SecretBytes {
    return alive(this.#held).wires.outputs();
  }

  wipe(): void {
    this.#held?.wires.wipe();
    this.#held?.key.fill(0);
    this.#held = undefined;
  }
}

/** @throws YaoError `frame_invalid` unless `chunk` holds whole gates and no more than `left` bytes */
export function checkTables(chunk: Uint8Array, left: number): void {
  if (chunk.length % GATE_BYTES !== 0) {
    throw new YaoError('frame_invalid', `tables come in whole gates of ${GATE_BYTES} bytes, got ${chunk.length} bytes`);
  }
  if (chunk.length > left) throw new YaoError('frame_invalid', `the circuit needs ${left} more table bytes, got ${chunk.length}`);
}
