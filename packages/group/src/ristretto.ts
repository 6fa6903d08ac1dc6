import { type SecretBytes, YaoError } from '@streaming-yao/core';
import type { Kernel } from './kernel.ts';
import { invalidScalar, SCALAR_BYTES } from './scalar.ts';

const ELEMENT_BYTES = 32;
const UNIFORM_BYTES = 64;

/**
 * ristretto255 (RFC 9496): the same group order as Ed25519's, every element with one encoding of 32 bytes and no cofactor. Constant
 * time in scalars and in elements.
 */
export interface Ristretto {
  /** Section 4.3.4: 64 uniform bytes to a uniform element whose logarithm nobody knows. @throws YaoError `invalid_length` */
  fromUniform(bytes: Uint8Array): Uint8Array;

  /** secret * generator. @throws YaoError `invalid_scalar` when it is not 32 canonical bytes */
  baseMultiply(secret: SecretBytes): Uint8Array;

  /** secret * element. @throws YaoError `invalid_scalar`; `invalid_point` for a bad encoding or the identity */
  multiply(secret: SecretBytes, element: Uint8Array): Uint8Array;

  /** left + right. @throws YaoError `invalid_point` for a bad encoding or the identity */
  add(left: Uint8Array, right: Uint8Array): Uint8Array;

  /** left - right. @throws YaoError `invalid_point` for a bad encoding or the identity */
  subtract(left: Uint8Array, right: Uint8Array): Uint8Array;
}

export class WasmRistretto implements Ristretto {
  readonly #kernel: Kernel;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  fromUniform(bytes: Uint8Array): Uint8Array {
    if (bytes.length !== UNIFORM_BYTES)
      throw new YaoError('invalid_length', `an element is made from ${UNIFORM_BYTES} uniform bytes`);
    const { run, a, p } = this.#kernel;
    return this.#secretly(() => {
      this.#kernel.write(a, bytes);
      run.ristrettoMap(p, a);
      return this.#encode(p);
    });
  }

  baseMultiply(secret: SecretBytes): Uint8Array {
    const { run, a, p } = this.#kernel;
    return this.#secretly(() => {
      this.#writeScalar(secret);
      run.baseMultiply(p, a);
      return this.#encode(p);
    });
  }

  multiply(secret: SecretBytes, element: Uint8Array): Uint8Array {
    const { run, a, p, q } = this.#kernel;
    return this.#secretly(() => {
      this.#writeScalar(secret);
      this.#decode(q, element);
      run.multiplyPoint(p, a, q);
      return this.#encode(p);
    });
  }

  add(left: Uint8Array, right: Uint8Array): Uint8Array {
    const { run, p, q } = this.#kernel;
    return this.#secretly(() => {
      this.#decode(p, left);
      this.#decode(q, right);
      run.addPoints(p, p, q);
      return this.#encode(p);
    });
  }

  subtract(left: Uint8Array, right: Uint8Array): Uint8Array {
    const { run, p, q } = this.#kernel;
    return this.#secretly(() => {
      this.#decode(p, left);
      this.#decode(q, right);
      run.negatePoint(q);
      run.addPoints(p, p, q);
      return this.#encode(p);
    });
  }

  #encode(place: number): Uint8Array {
    const { run, out } = this.#kernel;
    run.ristrettoEncode(out, place);
    return this.#kernel.read(out, ELEMENT_BYTES);
  }

  #decode(place: number, bytes: Uint8Array): void {
    const { run, out } = this.#kernel;
    const sound = bytes.length === ELEMENT_BYTES && bytes.some((byte) => byte !== 0);
    if (sound) this.#kernel.write(out, bytes);
    if (!sound || run.ristrettoDecode(place, out) !== 1) {
      throw new YaoError('invalid_point', 'not the encoding of a ristretto255 element other than the identity');
    }
  }

  /** Leaves the scalar at `a`. */
  #writeScalar(secret: SecretBytes): void {
    const { run, a } = this.#kernel;
    if (secret.length !== SCALAR_BYTES) throw invalidScalar(`a scalar has ${SCALAR_BYTES} bytes, not ${secret.length}`);
    secret.use((bytes) => this.#kernel.write(a, bytes));
    if (run.scalarIsCanonical(a) !== 1) throw invalidScalar('a scalar must be below the group order; encode it canonically');
  }

  #secretly<T>(use: () => T): T {
    try {
      return use();
    } finally {
      this.#kernel.run.wipe();
    }
  }
}
