import { SecretBytes, YaoError } from '@streaming-yao/core';
import { DecodedPoint, decoded } from './decoded-point.ts';
import type { Group, Point, Term } from './group.ts';
import { COORDINATES_BYTES, FIXED_BYTES, Kernel } from './kernel.ts';
import { clampedScalar, publicKeyOf, signEd25519 } from './key-pair.ts';
import { type Ristretto, WasmRistretto } from './ristretto.ts';
import { encodeScalar, invalidScalar, L, modL, SCALAR_BYTES } from './scalar.ts';
import { sha512 } from './sha512.ts';
import { recoverFrom, verifyEd25519 } from './verify.ts';

const ZERO = new Uint8Array(SCALAR_BYTES);
const ONE = encodeScalar(1n);
const MINUS_ONE = encodeScalar(L - 1n);
const HALF = encodeScalar((L + 1n) / 2n);
/** The kernel's room for terms of one sum. */
const TERMS = 8;

class WasmGroup implements Group {
  readonly ristretto: Ristretto;
  readonly #kernel: Kernel;

  constructor(module: WebAssembly.Module) {
    this.#kernel = new Kernel(module);
    this.ristretto = new WasmRistretto(this.#kernel);
  }

  sha512(...parts: readonly Uint8Array[]): Uint8Array {
    return sha512(this.#kernel, parts);
  }

  randomScalar(random: (length: number) => Uint8Array): SecretBytes {
    using wide = SecretBytes.own(random(64));
    return this.reduceScalar(wide);
  }

  reduceScalar(bytes: SecretBytes): SecretBytes {
    if (bytes.length > 64) throw invalidScalar('at most 64 bytes can be reduced');
    const { run, a, out } = this.#kernel;
    return this.#secretly(() => {
      this.#kernel.write(a, new Uint8Array(64));
      bytes.use((wide) => this.#kernel.write(a, wide));
      run.scalarReduce(out, a);
      return SecretBytes.own(this.#kernel.read(out, SCALAR_BYTES));
    });
  }

  addScalars(left: SecretBytes, right: SecretBytes): SecretBytes {
    return this.#multiplyAdd(ONE, left, right);
  }

  subtractScalars(left: SecretBytes, right: SecretBytes): SecretBytes {
    return this.#multiplyAdd(MINUS_ONE, right, left);
  }

  multiplyScalars(left: SecretBytes, right: SecretBytes): SecretBytes {
    return left.use((bytes) => this.#multiplyAdd(bytes, right, undefined));
  }

  multiplyAdd(factor: bigint, secret: SecretBytes, addend: SecretBytes): SecretBytes {
    return this.#multiplyAdd(encodeScalar(factor), secret, addend);
  }

  halveScalar(secret: SecretBytes): SecretBytes {
    return this.#multiplyAdd(HALF, secret, undefined);
  }

  #multiplyAdd(factor: Uint8Array, secret: SecretBytes, addend: SecretBytes | undefined): SecretBytes {
    const { run, a, b, c, out } = this.#kernel;
    return this.#secretly(() => {
      this.#writeScalar(a, factor);
      secret.use((bytes) => this.#writeScalar(b, bytes));
      if (addend) addend.use((bytes) => this.#writeScalar(c, bytes));
      else this.#kernel.write(c, ZERO);
      run.scalarMultiplyAdd(out, a, b, c);
      return SecretBytes.own(this.#kernel.read(out, SCALAR_BYTES));
    });
  }

  baseMultiply(secret: SecretBytes): Uint8Array {
    return this.commit(secret).encoded;
  }

  commit(secret: SecretBytes): Point {
    const { run, a, p } = this.#kernel;
    return this.#secretly(() => {
      secret.use((bytes) => this.#writeScalar(a, bytes));
      run.baseMultiply(p, a);
      return this.#readPoint(p);
    });
  }

  commitTwo(first: SecretBytes, second: SecretBytes): readonly [Point, Point] {
    const { run, a, out, p, q } = this.#kernel;
    return this.#secretly(() => {
      first.use((bytes) => this.#writeScalar(a, bytes));
      run.baseMultiply(p, a);
      second.use((bytes) => this.#writeScalar(a, bytes));
      run.baseMultiply(q, a);
      run.encodeTwo(out, p);
      const read = (encoded: number, place: number): Point =>
        new DecodedPoint(this.#kernel.read(encoded, 32), this.#kernel.read(place, COORDINATES_BYTES));
      return [read(out, p), read(out + 32, q)];
    });
  }

  fix(point: Point): Point {
    const { run, p, fixed } = this.#kernel;
    const { encoded, coordinates } = decoded(point);
    this.#kernel.write(p, coordinates);
    run.fixPoint(p);
    return new DecodedPoint(encoded, coordinates, this.#kernel.read(fixed, FIXED_BYTES));
  }

  multiply(secret: SecretBytes, point: Point): Uint8Array {
    const { run, a, p, q } = this.#kernel;
    return this.#secretly(() => {
      secret.use((bytes) => this.#writeScalar(a, bytes));
      this.#kernel.write(q, decoded(point).coordinates);
      run.multiplyPoint(p, a, q);
      return this.#readPoint(p).encoded;
    });
  }

  decodePoint(bytes: Uint8Array): Point {
    const { p } = this.#kernel;
    this.#decode(p, bytes);
    return new DecodedPoint(bytes.slice(), this.#kernel.read(p, COORDINATES_BYTES));
  }

  sumOfPoints(points: readonly (Uint8Array | Point)[]): Point {
    const { run, p, q } = this.#kernel;
    this.#combine(0n, []);
    for (const point of points) {
      if (point instanceof Uint8Array) this.#decode(p, point);
      else this.#kernel.write(p, decoded(point).coordinates);
      run.addPoints(q, q, p);
    }
    return this.#readPoint(q);
  }

  combine(base: bigint, terms: readonly Term[]): Point {
    this.#combine(base, terms);
    return this.#readPoint(this.#kernel.q);
  }

  vanishes(base: bigint, terms: readonly Term[]): boolean {
    this.#combine(base, terms);
    return this.#kernel.run.isIdentity(this.#kernel.q) === 1;
  }

  ed25519PublicKey(seed: SecretBytes): Uint8Array {
    return publicKeyOf(this, seed);
  }

  signEd25519(seed: SecretBytes, message: Uint8Array): Uint8Array {
    return signEd25519(this, seed, message);
  }

  x25519PublicKey(privateKey: SecretBytes): Uint8Array {
    const { run, a, out, p } = this.#kernel;
    using scalar = clampedScalar(this, privateKey);
    return this.#secretly(() => {
      scalar.use((bytes) => this.#writeScalar(a, bytes));
      run.baseMultiply(p, a);
      run.encodeMontgomery(out, p);
      return this.#kernel.read(out, 32);
    });
  }

  verifyEd25519(publicKey: Uint8Array | Point, message: Uint8Array, signature: Uint8Array): boolean {
    const kernel = this.#kernel;
    if (publicKey instanceof Uint8Array) {
      return verifyEd25519(kernel, publicKey, message, signature, (response, challenge) =>
        recoverFrom(kernel, publicKey, response, challenge),
      );
    }
    return verifyEd25519(kernel, publicKey.encoded, message, signature, (response, challenge) => {
      kernel.write(kernel.p, decoded(publicKey).coordinates);
      if (kernel.run.isIdentity(kernel.p) === 1) return false;
      this.#combine(response, [{ factor: modL(-challenge), point: publicKey }]);
      return true;
    });
  }

  /** Leaves the sum at `q`. */
  #combine(base: bigint, terms: readonly Term[]): void {
    const multiples = terms.filter(({ factor }) => factor !== 1n);
    this.#combineMultiples(base, multiples.slice(0, TERMS));
    for (const { factor, point } of terms) if (factor === 1n) this.#add(decoded(point).coordinates);
    if (multiples.length > TERMS) {
      const partial = this.#kernel.read(this.#kernel.q, COORDINATES_BYTES);
      this.#combine(0n, multiples.slice(TERMS));
      this.#add(partial);
    }
  }

  #combineMultiples(base: bigint, terms: readonly Term[]): void {
    const { run, a, b, q, fixed } = this.#kernel;
    this.#kernel.write(a, encodeScalar(base));
    const [first] = terms;
    const multiples = terms.length === 1 && first ? decoded(first.point).multiples : undefined;
    if (first && multiples) {
      this.#kernel.write(b, encodeScalar(first.factor));
      this.#kernel.write(fixed, multiples);
      run.combineFixed(q, a, b);
      return;
    }
    run.combineBase(a);
    terms.forEach((term, index) => {
      this.#writeTerm(index, term);
    });
    run.combine(q, terms.length);
  }

  #writeTerm(index: number, { factor, point }: Term): void {
    const { run, a, p } = this.#kernel;
    this.#kernel.write(a, encodeScalar(factor));
    this.#kernel.write(p, decoded(point).coordinates);
    run.combineTerm(index, a, p);
  }

  #add(coordinates: Uint8Array): void {
    const { run, p, q } = this.#kernel;
    this.#kernel.write(p, coordinates);
    run.addPoints(q, q, p);
  }

  /** Leaves a point of prime order at `place`. */
  #decode(place: number, bytes: Uint8Array): void {
    const { run, out } = this.#kernel;
    if (bytes.length !== 32) throw invalidPoint();
    this.#kernel.write(out, bytes);
    if (run.decode(place, out) !== 1 || run.isIdentity(place) === 1) throw invalidPoint();
    if (run.isTorsionFree(place) !== 1) throw invalidPoint();
  }

  #writeScalar(place: number, bytes: Uint8Array): void {
    if (bytes.length !== SCALAR_BYTES) throw invalidScalar(`a scalar has ${SCALAR_BYTES} bytes, not ${bytes.length}`);
    this.#kernel.write(place, bytes);
    if (this.#kernel.run.scalarIsCanonical(place) !== 1) {
      throw invalidScalar('a scalar must be below the group order; encode it canonically');
    }
  }

  #readPoint(place: number): Point {
    const { run, out } = this.#kernel;
    run.encode(out, place);
    return new DecodedPoint(this.#kernel.read(out, 32), this.#kernel.read(place, COORDINATES_BYTES));
  }

  #secretly<T>(use: () => T): T {
    try {
      return use();
    } finally {
      this.#kernel.run.wipe();
    }
  }
}

function invalidPoint(): YaoError {
  return new YaoError('invalid_point', 'not the canonical encoding of a point of prime order');
}

/**
 * The group on a compiled group.wasm; hosts get the module their own way (a file, an import, `compileStreaming`).
 * ```ts
 * const group = createGroup(await WebAssembly.compileStreaming(fetch('/group.wasm')));
 * ```
 */
export function createGroup(module: WebAssembly.Module): Group {
  return new WasmGroup(module);
}
