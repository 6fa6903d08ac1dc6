/** A fast generator of numbers that tests may repeat (xorshift32, Marsaglia 2003); never for anything secret. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  }

  /** 32 bits. */
  bits(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }

  /** A whole number from 0, below `limit`. */
  below(limit: number): number {
    return this.bits() % limit;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.bits() >>> 24);
  }
}
