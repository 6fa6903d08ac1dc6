import { YaoError } from './error.ts';

/**
 * Holds secret bytes: readable inside a callback only, wiped on demand, never printed, never serialised.
 * Wiping clears this copy; what a JavaScript engine may have copied elsewhere is out of reach (docs/threat-model.md).
 */
export class SecretBytes implements Disposable {
  #bytes: Uint8Array | undefined;
  readonly length: number;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  /** Takes over `bytes`: the caller keeps no reference to them. */
  static own(bytes: Uint8Array): SecretBytes {
    return new SecretBytes(bytes);
  }

  /** Copies `bytes`; the caller wipes its own. */
  static copy(bytes: Uint8Array): SecretBytes {
    return new SecretBytes(bytes.slice());
  }

  /**
   * Lends the bytes to `reader`, which must not keep them.
   * @throws YaoError `secret_wiped` after {@link wipe}
   */
  use<T>(reader: (bytes: Uint8Array) => T): T {
    if (!this.#bytes) throw new YaoError('secret_wiped', 'this secret was wiped already; derive or unwrap it again');
    return reader(this.#bytes);
  }

  /** A new secret made from this one; the callback's result is taken over. */
  map(transform: (bytes: Uint8Array) => Uint8Array): SecretBytes {
    return SecretBytes.own(this.use(transform));
  }

  get wiped(): boolean {
    return this.#bytes === undefined;
  }

  wipe(): void {
    this.#bytes?.fill(0);
    this.#bytes = undefined;
  }

  [Symbol.dispose](): void {
    this.wipe();
  }

  toString(): string {
    return '[SecretBytes]';
  }

  toJSON(): never {
    throw new YaoError('internal', 'a secret was about to be serialised');
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[SecretBytes]';
  }
}
