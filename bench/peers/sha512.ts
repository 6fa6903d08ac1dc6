import type { CircuitBuilder, Literal } from '@streaming-yao/engine';

const WORD = 64;
const FALSE: Literal = 0;

/** Bits of a word, lowest first. */
type Word = readonly Literal[];

function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** The largest whole number whose `degree`-th power is at most `value`. */
function root(value: bigint, degree: bigint): bigint {
  let [low, high] = [0n, 1n << 80n];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** degree <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** First 64 bits of the fractional part of a root (FIPS 180-4, sections 4.2.3 and 5.3.5). */
const fraction = (prime: number, degree: bigint): bigint => root(BigInt(prime) << (64n * degree), degree) & ((1n << 64n) - 1n);

/** SHA-512 as FIPS 180-4 writes it down, word by word with ripple-carry adders; constants fold by themselves. */
class Words {
  readonly #builder: CircuitBuilder;

  constructor(builder: CircuitBuilder) {
    this.#builder = builder;
  }

  constant(value: bigint): Word {
    return Array.from({ length: WORD }, (_, i) => Number((value >> BigInt(i)) & 1n));
  }

  add(first: Word, ...others: readonly Word[]): Word {
    return others.reduce((sum, word) => this.#addTwo(sum, word), first);
  }

  #addTwo(x: Word, y: Word): Word {
    const builder = this.#builder;
    let carry = FALSE;
    return x.map((bit, i) => {
      const [left, right] = [builder.xor(bit, carry), builder.xor(y[i]!, carry)];
      const sum = builder.xor(left, y[i]!);
      if (i < WORD - 1) carry = builder.xor(carry, builder.and(left, right));
      return sum;
    });
  }

  choice(e: Word, f: Word, g: Word): Word {
    const builder = this.#builder;
    return e.map((bit, i) => builder.xor(g[i]!, builder.and(bit, builder.xor(f[i]!, g[i]!))));
  }

  majority(a: Word, b: Word, c: Word): Word {
    const builder = this.#builder;
    return a.map((bit, i) => builder.xor(bit, builder.and(builder.xor(bit, b[i]!), builder.xor(bit, c[i]!))));
  }

  /** XOR of the word rotated right by two distances and rotated, or shifted, by a third. */
  mixed(word: Word, first: number, second: number, third: number, shift = false): Word {
    const at = (i: number): Literal => word[i % WORD]!;
    return word.map((_, i) => {
      const last = shift && i + third >= WORD ? FALSE : at(i + third);
      return this.#builder.xor(this.#builder.xor(at(i + first), at(i + second)), last);
    });
  }
}

function schedule(words: Words, message: readonly Word[]): Word[] {
  const padding = Array.from({ length: 12 }, (_, i) => words.constant(i === 0 ? 1n << 63n : i === 11 ? 256n : 0n));
  const w = [...message, ...padding];
  for (let t = 16; t < 80; t++) {
    const [early, late] = [words.mixed(w[t - 15]!, 1, 8, 7, true), words.mixed(w[t - 2]!, 19, 61, 6, true)];
    w.push(words.add(late, w[t - 7]!, early, w[t - 16]!));
  }
  return w;
}

/** Bit i of a byte string is bit i & 7 of byte i >> 3; words are big-endian. */
const bitOf = (i: number): number => 8 * (7 - ((i >> 3) & 7)) + (i & 7);

/**
 * All 64 bytes of SHA-512 of a 32-byte message.
 * @param seed 256 literals; bit i of the string is bit i & 7 of byte i >> 3
 * @returns 512 literals in the same numbering
 */
export function sha512(builder: CircuitBuilder, seed: readonly Literal[]): Literal[] {
  const words = new Words(builder);
  const message = Array.from({ length: 4 }, (_, word) =>
    Array.from({ length: WORD }, (_, bit) => seed[WORD * word + bitOf(bit)]!),
  );
  const w = schedule(words, message);
  const initial = primes(8).map((prime) => words.constant(fraction(prime, 2n)));
  let [a, b, c, d, e, f, g, h] = initial as [Word, Word, Word, Word, Word, Word, Word, Word];
  primes(80).forEach((prime, t) => {
    const fixed = words.constant(fraction(prime, 3n));
    const t1 = words.add(h, words.mixed(e, 14, 18, 41), words.choice(e, f, g), fixed, w[t]!);
    const t2 = words.add(words.mixed(a, 28, 34, 39), words.majority(a, b, c));
    [h, g, f, e, d, c, b, a] = [g, f, e, words.add(d, t1), c, b, a, words.add(t1, t2)];
  });
  const digest = [a, b, c, d, e, f, g, h].map((word, i) => words.add(word, initial[i]!));
  return Array.from({ length: 512 }, (_, i) => digest[i >> 6]![bitOf(i)]!);
}
