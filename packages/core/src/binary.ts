import { YaoError } from './error.ts';

/** Appends big-endian integers and byte strings. */
export class Writer {
  #parts: Uint8Array[] = [];
  #length = 0;

  raw(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** An unsigned integer of `width` bytes (1 to 6), big-endian. */
  uint(value: number, width: number): void {
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * width)) {
      throw new YaoError('invalid_request', `${value} does not fit ${width} bytes`);
    }
    const bytes = new Uint8Array(width);
    for (let i = width - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
    this.raw(bytes);
  }

  /** `bytes` behind their length in four bytes. */
  prefixed(bytes: Uint8Array): void {
    this.uint(bytes.length, 4);
    this.raw(bytes);
  }

  finish(): Uint8Array {
    const whole = new Uint8Array(this.#length);
    let offset = 0;
    for (const part of this.#parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    return whole;
  }
}

/** Reads what {@link Writer} wrote. Every length is checked before anything is allocated. */
export class Reader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** A view of the next `length` bytes. @throws YaoError `invalid_length` */
  raw(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#offset) {
      throw new YaoError('invalid_length', `expected ${length} more bytes, ${this.#bytes.length - this.#offset} are left`);
    }
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }

  uint(width: number): number {
    return this.raw(width).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** Bytes behind a four-byte length of at most `max`. @throws YaoError `invalid_length` */
  prefixed(max: number): Uint8Array {
    const length = this.uint(4);
    if (length > max) throw new YaoError('invalid_length', `a field of ${length} bytes exceeds its limit of ${max}`);
    return this.raw(length);
  }

  /** @throws YaoError `invalid_length` when bytes are left over */
  end(): void {
    if (this.#offset !== this.#bytes.length) {
      throw new YaoError('invalid_length', `${this.#bytes.length - this.#offset} bytes too many`);
    }
  }
}
