// Sums modulo 2^64, column by column: the same gates in the same order as src/circuit/column-sum.ts.

import { carries, delta, LABEL, sums } from './memory';
import { enqueue } from './queue';
import { ALL, knownBits, labelAt, publicLabel, setKnown, valueOf } from './words';

@unmanaged
export class ColumnSum {
  /** All public operand bits together. */
  private constant: u64;
  /** Public bits of the last operand, the only one that may have public and secret bits. */
  private partial: u64;
  /** Carries into the next column. */
  private carried: u32;
  private count: u32;
  private result: u32;
  private operand0: u32;
  private operand1: u32;
  private operand2: u32;
  private operand3: u32;
  private operand4: u32;
  private operand5: u32;

  static at(index: i32): ColumnSum {
    return changetype<ColumnSum>(sums + (<usize>index << 6));
  }

  /** Begins a sum that has `constant` as its first operand. */
  begin(constant: u64): ColumnSum {
    this.constant = constant;
    this.partial = 0;
    this.carried = 0;
    this.count = 0;
    return this;
  }

  add(word: i32): ColumnSum {
    const bits = knownBits(word);
    this.constant += valueOf(word) & bits;
    if (bits == ALL) return this;
    store<u32>(this.operandPlace(this.count++), <u32>labelAt(word, 0));
    this.partial = bits;
    return this;
  }

  /** Closes the list of operands; the result may take the place of one of them. */
  into(word: i32): void {
    this.result = <u32>labelAt(word, 0);
    setKnown(word, 0, 0);
  }

  // @ts-ignore: decorator
  @inline
  private operandPlace(index: u32): usize {
    return changetype<usize>(this) + offsetof<ColumnSum>('operand0') + (<usize>index << 2);
  }

  // @ts-ignore: decorator
  @inline
  private bit(index: u32, carry: usize, column: i32): v128 {
    if (index < this.carried) return v128.load(carry + <usize>index * LABEL);
    return v128.load(<usize>load<u32>(this.operandPlace(index - this.carried)) + <usize>column * LABEL);
  }

  /** Adds up column `column`: its sum bit at once, its carries when the queue has been worked off. */
  column(column: i32): void {
    const carry = carries + ((changetype<usize>(this) - sums) << 2);
    const one = this.constant >> column;
    const bits = this.carried + this.count - (<u32>(this.partial >> column) & 1);
    let carryOut = carry;
    let total = this.bit(0, carry, column);
    for (let j: u32 = 1; j < bits; j += 2) {
      const next = this.bit(j, carry, column);
      const last = j + 1 < bits ? this.bit(j + 1, carry, column) : publicLabel(one);
      if (column < 63) enqueue(v128.xor(total, last), v128.xor(next, last), last, carryOut);
      carryOut += LABEL;
      total = v128.xor(total, v128.xor(next, last));
    }
    if (one & <u64>bits & 1) {
      v128.store(carryOut, total);
      carryOut += LABEL;
      total = v128.xor(total, v128.load(delta));
    }
    this.carried = <u32>(carryOut - carry) / <u32>LABEL;
    v128.store(<usize>this.result + <usize>column * LABEL, total);
  }
}
