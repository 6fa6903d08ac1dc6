import { YaoError } from '@streaming-yao/core';
import { AND, type Circuit, FALSE, type Literal, sum, TRUE, XOR } from './circuit.ts';

/**
 * Builds a circuit gate by gate. Constants are folded, negations travel to the literals, and a gate that exists already
 * is given out again, so the same expressions in the same order always make the same circuit.
 */
export class CircuitBuilder {
  readonly #inputSizes: number[] = [];
  readonly #kinds: number[] = [];
  readonly #left: Literal[] = [];
  readonly #right: Literal[] = [];
  readonly #known = new Map<number, Literal>();
  #inputs = 0;

  /**
   * Declares the next input value of `size` bits.
   * @throws YaoError `circuit_invalid` after the first gate
   */
  input(size: number): Literal[] {
    if (this.#kinds.length > 0) throw new YaoError('circuit_invalid', 'inputs come before gates');
    this.#inputSizes.push(size);
    return Array.from({ length: size }, () => 2 * ++this.#inputs);
  }

  #gate(kind: number, first: Literal, second: Literal): Literal {
    // Literals stay below 2^26, so that the key is an exact number.
    const key = (Math.min(first, second) * 2 ** 26 + Math.max(first, second)) * 2 + kind;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#kinds.push(kind);
    this.#left.push(first);
    this.#right.push(second);
    const made = 2 * (this.#inputs + this.#kinds.length);
    if (made >= 2 ** 26) throw new YaoError('circuit_invalid', 'a circuit has fewer than 2^25 wires');
    this.#known.set(key, made);
    return made;
  }

  xor(first: Literal, second: Literal): Literal {
    const negated = (first ^ second) & 1;
    const left = first & ~1;
    const right = second & ~1;
    if (left === right) return negated;
    if (left === FALSE) return right ^ negated;
    if (right === FALSE) return left ^ negated;
    return this.#gate(XOR, left, right) ^ negated;
  }

  and(first: Literal, second: Literal): Literal {
    if (first === FALSE || second === FALSE || first === (second ^ 1)) return FALSE;
    if (first === TRUE || first === second) return second;
    if (second === TRUE) return first;
    return this.#gate(AND, first, second);
  }

  not(literal: Literal): Literal {
    return literal ^ 1;
  }

  /**
   * Closes the circuit, without the gates that no output depends on.
   * @throws YaoError `circuit_invalid` when the sizes do not add up to the outputs
   */
  finish(outputs: readonly Literal[], outputSizes: readonly number[] = [outputs.length]): Circuit {
    if (sum(outputSizes) !== outputs.length) throw new YaoError('circuit_invalid', 'output sizes do not add up to the outputs');
    const first = 1 + this.#inputs;
    const live = new Uint8Array(first + this.#kinds.length);
    for (const literal of outputs) live[literal >> 1] = 1;
    for (let gate = this.#kinds.length - 1; gate >= 0; gate--) {
      if (!live[first + gate]) continue;
      live[this.#left[gate]! >> 1] = 1;
      live[this.#right[gate]! >> 1] = 1;
    }
    const kept = this.#kinds.map((_, gate) => gate).filter((gate) => live[first + gate]);
    const renamed = new Uint32Array(live.length);
    for (let wire = 0; wire < first; wire++) renamed[wire] = wire;
    kept.forEach((gate, i) => {
      renamed[first + gate] = first + i;
    });
    const rename = (literal: Literal): Literal => 2 * renamed[literal >> 1]! + (literal & 1);
    return {
      inputSizes: [...this.#inputSizes],
      outputSizes: [...outputSizes],
      kinds: Uint8Array.from(kept, (gate) => this.#kinds[gate]!),
      left: Uint32Array.from(kept, (gate) => rename(this.#left[gate]!)),
      right: Uint32Array.from(kept, (gate) => rename(this.#right[gate]!)),
      outputs: Uint32Array.from(outputs, rename),
    };
  }
}
