/** What the WebAssembly module exports: places in its memory, and functions. See `assembly/index.ts`. */
export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly delta: WebAssembly.Global<'i32'>;
  readonly key: WebAssembly.Global<'i32'>;
  readonly labels: WebAssembly.Global<'i32'>;
  readonly modulus: WebAssembly.Global<'i32'>;
  readonly share: WebAssembly.Global<'i32'>;
  readonly tables: WebAssembly.Global<'i32'>;
  readonly weights: WebAssembly.Global<'i32'>;
  readonly TABLES_LENGTH: WebAssembly.Global<'i32'>;
  readonly LABELS_LENGTH: WebAssembly.Global<'i32'>;
  begin(): void;
  garble(taken: number, wanted: number): number;
  evaluate(bytes: number): number;
  finish(): void;
  beginShare(): void;
  projectGarbler(wires: number, firstIndex: number): void;
  projectEvaluator(wires: number, firstIndex: number): void;
  finishShare(): void;
  hashBlocks(messages: number, firstCounter: number, counterStep: number): void;
  wipe(): void;
}

/** Places a host writes to or reads from. */
export type KernelPlace = 'delta' | 'key' | 'labels' | 'modulus' | 'share' | 'tables' | 'weights';

/** One instance of the module: its memory belongs to one party of one ceremony until it is wiped. */
export class KernelInstance {
  readonly calls: KernelExports;
  readonly #memory: Uint8Array;

  constructor(module: WebAssembly.Module) {
    this.calls = new WebAssembly.Instance(module).exports as unknown as KernelExports;
    this.#memory = new Uint8Array(this.calls.memory.buffer);
  }

  /** A view of the memory at `place`; it is secret wherever labels, keys or numbers made from them lie. */
  view(place: KernelPlace, length: number, offset = 0): Uint8Array {
    const start = this.calls[place].value + offset;
    return this.#memory.subarray(start, start + length);
  }
}

/** Instances that are wiped and free to be used again, so that neither start-up nor address space is paid twice. */
export class KernelInstances {
  readonly #module: WebAssembly.Module;
  readonly #free: KernelInstance[] = [];

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  take(): KernelInstance {
    return this.#free.pop() ?? new KernelInstance(this.#module);
  }

  /** Wipes `instance`; nobody may keep a view of it. */
  giveBack(instance: KernelInstance): void {
    instance.calls.wipe();
    this.#free.push(instance);
  }

  /** Lends an instance for one synchronous piece of work. */
  use<T>(work: (instance: KernelInstance) => T): T {
    const instance = this.take();
    try {
      return work(instance);
    } finally {
      this.giveBack(instance);
    }
  }
}
