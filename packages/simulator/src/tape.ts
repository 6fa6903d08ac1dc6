import { blake3 } from '@noble/hashes/blake3.js';
import { utf8 } from '@streaming-yao/core';

const CHUNK_BYTES = 1024;

/** Endless random bytes that depend on a name only: the same name, the same run. */
export class Tape {
  readonly name: string;
  readonly #stream: ReturnType<typeof blake3.create>;
  #chunk = new Uint8Array(0);
  #offset = 0;

  constructor(name: string) {
    this.name = name;
    this.#stream = blake3.create({}).update(utf8(name));
  }

  /** A tape of its own: what is drawn from it moves nothing here. */
  fork(name: string): Tape {
    return new Tape(`${this.name}/${name}`);
  }

  readonly bytes = (length: number): Uint8Array => {
    if (length > CHUNK_BYTES) return this.#stream.xof(length);
    if (this.#offset + length > this.#chunk.length) {
      this.#chunk = this.#stream.xof(CHUNK_BYTES);
      this.#offset = 0;
    }
    this.#offset += length;
    return this.#chunk.slice(this.#offset - length, this.#offset);
  };

  /** A whole number from 0 to `bound` - 1, `bound` at most 2^24. */
  below(bound: number): number {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = this.bytes(6);
    return (((a * 256 + b) * 256 + c) * 2 ** 24 + (d * 256 + e) * 256 + f) % bound;
  }

  chance(probability: number): boolean {
    return probability > 0 && this.below(2 ** 24) < probability * 2 ** 24;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new RangeError('there is nothing to pick from');
    return chosen;
  }
}
