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
  private operand(index: u32, column: i32): v128 {
    return v128.load(<usize>load<u32>(this.operandPlace(index)) + <usize>column * LABEL);
  }

  /** Adds up column `column`, below 63: its sum bit at once, its carries when the queue has been worked off. */
  column(column: i32): void {
    const carry = carries + ((changetype<usize>(this) - sums) << 2);
    const count = this.count - (<u32>(this.partial >> column) & 1);
    const carried = this.carried;
    const one = <u32>(this.constant >> column) & 1;
    let total = this.operand(0, column);
    let carryOut = carry;
    let index: u32 = 1;
    for (; index + 1 < count; index += 2) {
      total = addPair(total, this.operand(index, column), this.operand(index + 1, column), carryOut);
      carryOut += LABEL;
    }
    let next: u32 = 0;
    if (index < count) {
      const last = carried > 0 ? v128.load(carry) : publicLabel(one);
      total = addPair(total, this.operand(index, column), last, carryOut);
      carryOut += LABEL;
      next = 1;
    }
    for (; next + 1 < carried; next += 2) {
      const place = carry + <usize>next * LABEL;
      total = addPair(total, v128.load(place), v128.load(place, 16), carryOut);
      carryOut += LABEL;
    }
    if (next < carried) {
      total = addPair(total, v128.load(carry + <usize>next * LABEL), publicLabel(one), carryOut);
      carryOut += LABEL;
    }
    if (one & (count + carried)) {
      // One more than the sum of an odd number of bits is free: the bit is turned over and carried.
      v128.store(carryOut, total);
      carryOut += LABEL;
      total = v128.xor(total, v128.load(delta));
    }
    this.carried = <u32>(carryOut - carry) >> 4;
    v128.store(<usize>this.result + <usize>column * LABEL, total);
  }

  /** Adds up column 63, which carries nothing on. */
  topColumn(): void {
    const carry = carries + ((changetype<usize>(this) - sums) << 2);
    const count = this.count - <u32>(this.partial >> 63);
    let sum = publicLabel(<u32>(this.constant >> 63));
    for (let index: u32 = 0; index < count; index++) sum = v128.xor(sum, this.operand(index, 63));
    for (let index: u32 = 0; index < this.carried; index++) {
      sum = v128.xor(sum, v128.load(carry + <usize>index * LABEL));
    }
    v128.store(<usize>this.result + 63 * LABEL, sum);
  }
}

/**
 * One full adder of a column.
 * @returns the running sum with both bits added
 */
// @ts-ignore: decorator
@inline
function addPair(total: v128, next: v128, last: v128, carryOut: usize): v128 {
  const pair = v128.xor(next, last);
  enqueue(v128.xor(total, last), pair, last, carryOut);
  return v128.xor(total, pair);
}
