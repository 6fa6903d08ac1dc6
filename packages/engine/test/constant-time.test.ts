import { readFileSync } from 'node:fs';
import { toHex } from '@streaming-yao/core';
import binaryen from 'binaryen';
import { beforeAll, describe, expect, it } from 'vitest';
import { secretDependence } from '../../../tools/wasm-taint.ts';
import { compileKernel } from '../build-kernel.mjs';
import type { KernelExports, KernelPlace } from '../src/kernel/instance.ts';
import { FRAME_BYTES, type Secrets, secretsOf } from './garbling.ts';

const wasm = new Uint8Array(readFileSync(new URL('../kernel.wasm', import.meta.url)));
const source = (name: string): string => readFileSync(new URL(`../assembly/${name}`, import.meta.url), 'utf8');

function functionsOf(binary: Uint8Array<ArrayBuffer>): string[] {
  return WebAssembly.Module.exports(new WebAssembly.Module(binary))
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => name);
}

/** Every label, key and number made from them is loaded as a vector. */
const dependences = (binary: Uint8Array<ArrayBuffer>) =>
  secretDependence(binary, { exports: functionsOf(binary), source: 'vector loads' });

describe('kernel.wasm', () => {
  it('is what its sources compile to, byte for byte, and imports nothing', async () => {
    expect(toHex(await compileKernel())).toBe(toHex(wasm));
    expect(WebAssembly.Module.imports(new WebAssembly.Module(wasm))).toEqual([]);
  }, 240_000);

  it('has 128 KiB of memory, whatever it garbles', () => {
    const { memory } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports as unknown as KernelExports;
    expect(memory.buffer.byteLength).toBe(131_072);
    const module = binaryen.readBinary(wasm);
    expect(module.emitText()).not.toContain('memory.grow');
    module.dispose();
  });

  it('lets no secret decide a branch, a select, an address or a length', () => {
    expect(functionsOf(wasm)).toContain('garble');
    expect(dependences(wasm)).toEqual([]);
  });

  it('never brings a lane of a secret vector into a scalar', () => {
    const module = binaryen.readBinary(wasm);
    expect(module.emitText()).not.toMatch(/extract_lane|any_true|all_true|bitmask|store(8|16|32|64)_lane/);
    module.dispose();
  });

  it('would be caught if it branched on a colour or looked up a table with it', async () => {
    const mask = /function colourMask\(label: v128\): v128 \{\n.*\n\}/;
    const gates = source('half-gates.ts');
    expect(gates).toMatch(mask);
    const body = [
      'if (i32x4.extract_lane(label, 1) & 1) return i32x4.splat(0);',
      'return v128.load(tables + (<usize>(i32x4.extract_lane(label, 0) & 1) << 4));',
    ];
    const planted = gates
      .replace(mask, `function colourMask(label: v128): v128 { ${body.join(' ')} }`)
      .replace('import { delta, key, keyState }', 'import { delta, key, keyState, tables }');
    const kinds = dependences(new Uint8Array(await compileKernel({ 'half-gates.ts': planted }))).map(({ kind }) => kind);
    expect(kinds).toContain('branch');
    expect(kinds).toContain('address');
  }, 240_000);
});

/** What a run of the kernel did to memory. */
class Trace {
  /** Of all accesses, in order: place in the code and address. */
  digest = 0;
  accesses = 0;
  /** Kinds of access by zone of the memory. */
  readonly uses = new Set<string>();

  note(use: string, id: number, address: number): void {
    this.accesses++;
    this.digest = Math.imul(this.digest ^ id ^ (address << 8), 0x0100_0193) ^ (address >>> 7);
    this.uses.add(use);
  }
}

describe('where the kernel reads and writes', () => {
  let instrumented: WebAssembly.Module;
  beforeAll(() => {
    const module = binaryen.readBinary(wasm);
    module.runPasses(['instrument-memory']);
    instrumented = new WebAssembly.Module(new Uint8Array(module.emitBinary()));
    module.dispose();
  });

  function open(trace: Trace): KernelExports {
    let calls: KernelExports | undefined;
    const note = (kind: string) => (id: number, bytes: number, offset: number, pointer: number) => {
      const address = (pointer >>> 0) + offset;
      trace.note(`${bytes === 16 ? 'vector' : 'scalar'} ${kind}, ${zoneOf(calls!, address)}`, id, address);
      return pointer;
    };
    const value = (_: number, loaded: number | bigint) => loaded;
    const names = WebAssembly.Module.imports(instrumented).map(({ name }) => name);
    const env = Object.fromEntries(names.map((name) => [name, name.endsWith('_ptr') ? note(name.slice(0, -4)) : value]));
    calls = new WebAssembly.Instance(instrumented, { env }).exports as unknown as KernelExports;
    return calls;
  }

  /** Public variables come first, then all secrets up to the end of the tables, then constants. */
  function zoneOf({ delta, tables, TABLES_LENGTH }: KernelExports, address: number): string {
    if (address < delta.value) return 'public';
    return address < tables.value + TABLES_LENGTH.value + 512 ? 'secret' : 'constant';
  }

  /** Garbles, evaluates, projects and hashes with an instance each. */
  function run(secrets: Secrets): Trace {
    const trace = new Trace();
    const put = (calls: KernelExports, place: KernelPlace, bytes: Uint8Array, offset = 0): void =>
      new Uint8Array(calls.memory.buffer).set(bytes, calls[place].value + offset);
    const [garbler, evaluator] = [open(trace), open(trace)];
    put(garbler, 'delta', secrets.delta);
    for (const calls of [garbler, evaluator]) {
      put(calls, 'key', secrets.gateKey);
      put(calls, 'labels', secrets.zeroLabels);
      calls.begin();
    }
    let waiting = 0;
    for (let taken = 0, frame = FRAME_BYTES; frame === FRAME_BYTES; taken = frame) {
      frame = Math.min(garbler.garble(taken, FRAME_BYTES), FRAME_BYTES);
      put(evaluator, 'tables', new Uint8Array(garbler.memory.buffer, garbler.tables.value, frame), waiting);
      waiting = evaluator.evaluate(frame);
    }
    expect(waiting).toBe(0);
    for (const calls of [garbler, evaluator]) {
      calls.finish();
      put(calls, 'modulus', new Uint8Array(100).fill(0x55));
      calls.beginShare();
    }
    garbler.projectGarbler(251, 3);
    evaluator.projectEvaluator(251, 3);
    for (const calls of [garbler, evaluator]) calls.finishShare();
    garbler.hashBlocks(9, 0, 1);
    return trace;
  }

  it('is the same for every secret, and secrets meet vectors only', () => {
    const trace = run(secretsOf('trace one'));
    expect(trace.accesses).toBeGreaterThan(1_000_000);
    expect([...trace.uses].sort()).toEqual([
      'scalar load, constant',
      'scalar load, public',
      'scalar store, public',
      'vector load, constant',
      'vector load, public',
      'vector load, secret',
      'vector store, secret',
    ]);
    const other = run(secretsOf('trace two'));
    expect([other.accesses, other.digest]).toEqual([trace.accesses, trace.digest]);
  }, 240_000);
});
