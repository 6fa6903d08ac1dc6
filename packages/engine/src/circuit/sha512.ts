import type { CircuitBuilder } from './builder.ts';
import { type Literal, TRUE } from './circuit.ts';
import { ColumnSum, constantPart, constantWord, type Word } from './column-sum.ts';
import { initialHash, roundConstants } from './sha512-constants.ts';

type State = readonly [Word, Word, Word, Word, Word, Word, Word, Word];

/** Place of bit `i` of a byte string inside its big-endian 64-bit words: word, and bit of the word. */
const wordOf = (i: number): number => i >> 6;
const bitOf = (i: number): number => 8 * (7 - ((i >> 3) & 7)) + (i & 7);

const isConstant = (word: Word): boolean => word.length === 64 && word.every((bit) => bit <= TRUE);

/** The additions of one round, in the order in which each column needs them, and the two words they make. */
interface RoundSums {
  readonly sums: readonly ColumnSum[];
  readonly e: Word;
  readonly a: Word;
}

/**
 * SHA-512 (FIPS 180-4, section 6.4) of exactly 32 bytes, cut to the first 32 digest bytes.
 *
 * The order of the AND gates is the order in which the kernel garbles: choice and majority of column i come together with
 * the additions of column i - 1, because all of these are independent of each other, and the schedule, which the next column
 * waits for least, comes last.
 */
class HalfDigest {
  readonly #builder: CircuitBuilder;
  readonly #constants = roundConstants();
  readonly #initial = initialHash();
  readonly #schedule: Word[];
  #state: State;

  constructor(builder: CircuitBuilder, seed: readonly Literal[]) {
    this.#builder = builder;
    this.#state = this.#initial.map(constantWord) as unknown as State;
    const message: Word[] = Array.from({ length: 4 }, () => []);
    seed.forEach((literal, i) => {
      message[wordOf(i)]![bitOf(i)] = literal;
    });
    const padding = Array.from({ length: 12 }, (_, i) => constantWord(i === 0 ? 1n << 63n : i === 11 ? 256n : 0n));
    this.#schedule = [...message, ...padding];
  }

  digest(): Literal[] {
    for (let t = 0; t < 80; t++) this.#round(t);
    const [a, b, c, d] = this.#state;
    const sums = [b, c, d].map((word, i) => new ColumnSum(this.#builder, [word], this.#initial[i + 1]!));
    for (let column = 0; column < 64; column++) for (const sum of sums) sum.column();
    const words = [a, ...sums.map((sum) => sum.bits)];
    return Array.from({ length: 256 }, (_, i) => words[wordOf(i)]![bitOf(i)]!);
  }

  #round(t: number): void {
    const [a, b, c, , e, f, g] = this.#state;
    const choice: Word = [];
    const majority: Word = [];
    const chooseAndVote = (column: number): void => {
      choice.push(this.#choice(e[column]!, f[column]!, g[column]!));
      majority.push(this.#majority(a[column]!, b[column]!, c[column]!));
    };
    // Linear while two of the three words are constant: no gates whose order could matter.
    if (t < 2) for (let column = 0; column < 64; column++) chooseAndVote(column);
    const made = this.#sums(t, choice, majority);
    const next = t + 1 >= 16 && t + 1 < 80 ? this.#scheduleSum(t + 1) : undefined;
    for (let column = 0; column <= 64; column++) {
      if (column > 0) for (const sum of made.sums) sum.column();
      if (column < 64 && t >= 2) chooseAndVote(column);
      if (column > 0) next?.column();
    }
    if (next) this.#schedule.push(next.bits);
    this.#state = [made.a, a, b, c, made.e, e, f, g];
  }

  /**
   * T1, the new e and the new a of round `t`. While d is constant it joins T1, which is the new e then, and is taken off the
   * new a again: one addition less. The last round needs no e and adds the initial hash word at once.
   */
  #sums(t: number, choice: Word, majority: Word): RoundSums {
    const builder = this.#builder;
    const [a, , , d, e, , , h] = this.#state;
    const terms = [h, this.#xorRotated(e, 14, 18, 41), this.#schedule[t]!, choice];
    const more = [this.#xorRotated(a, 28, 34, 39), majority];
    const constant = this.#constants[t]!;
    if (t === 79) {
      const last = new ColumnSum(builder, [...terms, ...more], constant + this.#initial[0]!);
      return { sums: [last], e: [], a: last.bits };
    }
    if (isConstant(d)) {
      const newE = new ColumnSum(builder, [...terms, d], constant);
      const newA = new ColumnSum(builder, [newE.bits, ...more], -constantPart(d));
      return { sums: [newE, newA], e: newE.bits, a: newA.bits };
    }
    const t1 = new ColumnSum(builder, terms, constant);
    const newE = new ColumnSum(builder, [t1.bits, d]);
    const newA = new ColumnSum(builder, [t1.bits, ...more]);
    return { sums: [t1, newE, newA], e: newE.bits, a: newA.bits };
  }

  /** The sum that makes schedule word `t`, from word 16 on. */
  #scheduleSum(t: number): ColumnSum {
    const word = (back: number): Word => this.#schedule[t - back]!;
    const operands = [this.#xorShifted(word(2), 19, 61, 6), word(7), this.#xorShifted(word(15), 1, 8, 7), word(16)];
    return new ColumnSum(this.#builder, operands);
  }

  #xorRotated(word: Word, first: number, second: number, third: number): Word {
    const bit = (i: number): Literal => word[i & 63]!;
    return word.map((_, i) => this.#builder.xor(this.#builder.xor(bit(i + first), bit(i + second)), bit(i + third)));
  }

  #xorShifted(word: Word, first: number, second: number, shift: number): Word {
    return word.map((_, i) => {
      const rotated = this.#builder.xor(word[(i + first) & 63]!, word[(i + second) & 63]!);
      return i + shift < 64 ? this.#builder.xor(rotated, word[i + shift]!) : rotated;
    });
  }

  #choice(e: Literal, f: Literal, g: Literal): Literal {
    const builder = this.#builder;
    return builder.xor(g, builder.and(e, builder.xor(f, g)));
  }

  #majority(a: Literal, b: Literal, c: Literal): Literal {
    const builder = this.#builder;
    return builder.xor(a, builder.and(builder.xor(a, b), builder.xor(a, c)));
  }
}

/**
 * The first 32 bytes of SHA-512 of 32 input bytes.
 * @param seed 256 literals; bit i of the string is bit i & 7 of byte i >> 3
 * @returns 256 literals in the same numbering
 */
export function sha512FirstHalf(builder: CircuitBuilder, seed: readonly Literal[]): Literal[] {
  return new HalfDigest(builder, seed).digest();
}
