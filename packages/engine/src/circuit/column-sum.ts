import type { CircuitBuilder } from './builder.ts';
import { type Literal, TRUE } from './circuit.ts';

/** Bits of a 64-bit word, least significant first. A word may still grow while it is an operand of a {@link ColumnSum}. */
export type Word = Literal[];

export function constantWord(value: bigint): Word {
  return Array.from({ length: 64 }, (_, i) => Number((value >> BigInt(i)) & 1n));
}

/** The value of those bits of `word` that are constant. */
export function constantPart(word: Word): bigint {
  return word.reduce((value, bit, i) => value + (bit === TRUE ? 1n << BigInt(i) : 0n), 0n);
}

/**
 * A sum modulo 2^64 of any number of words, worked off column by column: all carries into a column and all operand bits of
 * it go through one row of full adders, which costs one AND per two bits. What is constant in the operands is merged into
 * one constant, whose bit fills the last adder's free place and otherwise costs nothing (x + 1 is not-x, carry x). No carry
 * leaves bit 63. The ANDs of one column do not depend on each other.
 */
export class ColumnSum {
  readonly #builder: CircuitBuilder;
  readonly #operands: readonly Word[];
  readonly #constant: bigint;
  #carries: Literal[] = [];
  /** Filled one bit per {@link column}. */
  readonly bits: Word = [];

  /** @param operands words that are complete, or that will hold no constant bit */
  constructor(builder: CircuitBuilder, operands: readonly Word[], constant = 0n) {
    this.#builder = builder;
    this.#operands = operands;
    this.#constant = operands.reduce((total, word) => total + constantPart(word), constant);
  }

  /** Adds up the next column. Every operand must hold its bit of that column by now. */
  column(): void {
    const builder = this.#builder;
    const i = this.bits.length;
    const one = Number((this.#constant >> BigInt(i)) & 1n);
    const column = [...this.#operands.map((word) => word[i]!).filter((bit) => bit > TRUE), ...this.#carries];
    const carries: Literal[] = [];
    let total = column[0]!;
    for (let j = 1; j < column.length; j += 2) {
      const next = column[j]!;
      const last = j + 1 < column.length ? column[j + 1]! : one;
      if (i < 63) carries.push(builder.xor(last, builder.and(builder.xor(total, last), builder.xor(next, last))));
      total = builder.xor(total, builder.xor(next, last));
    }
    if (one && column.length % 2 === 1) {
      carries.push(total);
      total = builder.not(total);
    }
    this.#carries = carries;
    this.bits.push(total);
  }
}
