/** What group.wasm exports; addresses are byte offsets into its memory. */
interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly EXCHANGE: WebAssembly.Global;
  readonly FIXED: WebAssembly.Global;
  readonly HASH_INPUT: WebAssembly.Global;
  fillTables(): void;
  wipe(): void;
  scalarIsCanonical(scalar: number): number;
  scalarMultiplyAdd(out: number, a: number, b: number, c: number): void;
  scalarReduce(out: number, wide: number): void;
  baseMultiply(out: number, scalar: number): void;
  multiplyPoint(out: number, scalar: number, point: number): void;
  encode(out: number, point: number): void;
  encodeTwo(out: number, points: number): void;
  encodeMontgomery(out: number, point: number): void;
  decode(out: number, bytes: number): number;
  isIdentity(point: number): number;
  isSmallOrder(point: number): number;
  isTorsionFree(point: number): number;
  addPoints(out: number, left: number, right: number): void;
  combineBase(scalar: number): void;
  combineTerm(index: number, scalar: number, point: number): void;
  combine(out: number, terms: number): void;
  fixPoint(point: number): void;
  combineFixed(out: number, base: number, scalar: number): void;
  sha512Start(): void;
  sha512Absorb(blocks: number): void;
  sha512Finish(out: number, rest: number, length: number): void;
  negatePoint(point: number): void;
  ristrettoDecode(out: number, bytes: number): number;
  ristrettoEncode(out: number, point: number): void;
  ristrettoMap(out: number, bytes: number): void;
}

/** Bytes of a point's coordinates inside the kernel. */
export const COORDINATES_BYTES = 160;
/** Bytes of the multiples that make sums with a point cheaper. */
export const FIXED_BYTES = 5_120;

/** One instance of group.wasm with its tables filled, and the places in its memory where values are exchanged. */
export class Kernel {
  readonly run: KernelExports;
  readonly #bytes: Uint8Array;
  /** Places for 32 bytes; `a` and `out` may hold 64. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly out: number;
  /** Places for points, one behind the other. */
  readonly p: number;
  readonly q: number;
  /** Place for the multiples of a fixed point. */
  readonly fixed: number;
  /** Place for 8,192 bytes that are hashed. */
  readonly hashInput: number;

  constructor(module: WebAssembly.Module) {
    this.run = new WebAssembly.Instance(module, {}).exports as unknown as KernelExports;
    this.run.fillTables();
    this.#bytes = new Uint8Array(this.run.memory.buffer);
    const exchange = Number(this.run.EXCHANGE.value);
    this.a = exchange;
    this.b = exchange + 0x40;
    this.c = exchange + 0x60;
    this.out = exchange + 0x80;
    this.p = exchange + 0xc0;
    this.q = this.p + COORDINATES_BYTES;
    this.fixed = Number(this.run.FIXED.value);
    this.hashInput = Number(this.run.HASH_INPUT.value);
  }

  write(place: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, place);
  }

  read(place: number, length: number): Uint8Array {
    return this.#bytes.slice(place, place + length);
  }

  copy(place: number, from: number, length: number): void {
    this.#bytes.copyWithin(place, from, from + length);
  }
}
