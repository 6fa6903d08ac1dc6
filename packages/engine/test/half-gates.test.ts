import { blake3 } from '@noble/hashes/blake3.js';
import { fromHex, toHex } from '@streaming-yao/core';
import { beforeAll, describe, expect, it } from 'vitest';
import known from '../../../vectors/half-gates.json' with { type: 'json' };
import { compileKernel } from '../build-kernel.mjs';
import { colour, evaluateAnd, garbleAnd, gateHash, xor } from '../src/garble/half-gates.ts';
import { putWords, toWords } from '../src/garble/labels.ts';
import { twin } from '../src/garble/twin.ts';
import { loadKernel } from '../src/node.ts';
import { tape } from './fixtures.ts';

const bytesOf = (words: Uint32Array): Uint8Array => {
  const bytes = new Uint8Array(4 * words.length);
  putWords(words, bytes);
  return bytes;
};

const words = (hex: string): Uint32Array => toWords(fromHex(hex));

/** The four labels of a pair of wires with every choice of colours and values. */
const CASES = Array.from({ length: 16 }, (_, i) => ({ pa: i & 1, pb: (i >> 1) & 1, a: (i >> 2) & 1, b: (i >> 3) & 1 }));

function labelsOf(name: string) {
  const random = tape(name);
  const word = (bit: number): Uint32Array => {
    const label = toWords(random(16));
    label[0] = (label[0]! & ~1) | bit;
    return label;
  };
  return { key: toWords(random(32)), delta: word(1), word };
}

describe('the gate hash', () => {
  it("is noble's BLAKE3, keyed, at every block a circuit reaches", () => {
    const random = tape('gate hash');
    const [key, label] = [random(32), random(16)];
    const stream = blake3.create({ key }).update(label);
    for (let index = 0; index < 107_506; index++) {
      const block = stream.xof(64);
      if (index > 300 && index % 997 !== 0 && index < 107_500) continue;
      expect(toHex(bytesOf(gateHash(toWords(key), toWords(label), index)))).toBe(toHex(block.subarray(0, 16)));
    }
  });

  it('in the kernel as well, all 64 bytes, for any number of messages', () => {
    const kernel = loadKernel();
    const random = tape('blocks');
    const key = random(32);
    for (const count of [1, 2, 3, 4, 5, 255, 512, 513, 1100]) {
      const messages = random(16 * count);
      for (const step of [0, 1] as const) {
        const blocks = kernel.hashBlocks(key, messages, 7, step);
        expect(Buffer.compare(blocks, twin.hashBlocks(key, messages, 7, step))).toBe(0);
        const last = blake3(messages.subarray(-16), { key, dkLen: 64 * (8 + step * (count - 1)) }).subarray(-64);
        expect(toHex(blocks.subarray(-64))).toBe(toHex(last));
      }
    }
    expect(kernel.hashBlocks(key, new Uint8Array(0), 0, 1)).toEqual(new Uint8Array(0));
    const high = kernel.hashBlocks(key, new Uint8Array(64), 2 ** 32 - 4, 1);
    expect(Buffer.compare(high, twin.hashBlocks(key, new Uint8Array(64), 2 ** 32 - 4, 1))).toBe(0);
  });
});

describe('one AND gate', () => {
  it.each(CASES)('of the twin: colours $pa $pb, values $a $b', ({ pa, pb, a, b }) => {
    const { key, delta, word } = labelsOf(`twin ${pa}${pb}${a}${b}`);
    const [zeroA, zeroB] = [word(pa), word(pb)];
    const { generator, evaluator, output } = garbleAnd(key, delta, 41, zeroA, zeroB);
    const active = (zero: Uint32Array, value: number): Uint32Array => (value ? xor(zero, delta) : zero);
    const result = evaluateAnd(key, 41, active(zeroA, a), active(zeroB, b), generator, evaluator);
    expect(result).toEqual(active(output, a & b));
    expect(colour(result)).toBe(colour(output) ^ (a & b));
  });
});

describe('known AND tables', () => {
  const [key, delta] = [known.key, known.delta].map(words) as [Uint32Array, Uint32Array];

  it.each(known.gates)('gate $gate is garbled and evaluated to the byte', ({ gate, a, b, generator, evaluator, output }) => {
    const garbled = garbleAnd(key, delta, gate, words(a), words(b));
    expect([garbled.generator, garbled.evaluator, garbled.output].map((block) => toHex(bytesOf(block)))).toEqual([
      generator,
      evaluator,
      output,
    ]);
    const active = (label: string, value: number): Uint32Array => (value ? xor(words(label), delta) : words(label));
    for (const [x, y] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const) {
      const result = evaluateAnd(key, gate, active(a, x), active(b, y), words(generator), words(evaluator));
      expect(result).toEqual(active(output, x & y));
    }
  });

  it.each([
    ['key', (gate: number) => [new Uint32Array(8), gate]],
    ['index', (gate: number) => [key, gate === 0 ? 1 : 0]],
  ] as const)('depend on the %s', (_, without) => {
    for (const { gate, a, b, generator, evaluator, output } of known.gates) {
      const [otherKey, otherGate] = without(gate) as [Uint32Array, number];
      const garbled = garbleAnd(otherKey, delta, otherGate, words(a), words(b));
      const blocks = [garbled.generator, garbled.evaluator, garbled.output].map((block) => toHex(bytesOf(block)));
      for (const block of [generator, evaluator, output]) expect(blocks).not.toContain(block);
    }
  });
});

/** Lets the queue of the kernel be filled by hand: triples of labels at `labels`, results over them. */
const PROBE = `
import { flush, prepareKey, rewindGates } from './half-gates';
import { LABEL, labels, tables } from './memory';
import { enqueue } from './queue';
export function probe(garbling: bool, count: u32): void {
  prepareKey();
  rewindGates();
  for (let done: u32 = 0; done < count; ) {
    const batch: u32 = min(count - done, 1 + (done % 7));
    for (let i = done; i < done + batch; i++) {
      const place = labels + <usize>i * 3 * LABEL;
      enqueue(v128.load(place), v128.load(place, 16), v128.load(place, 32), place);
    }
    flush(garbling, tables + (done << 5));
    done += batch;
  }
}
export { delta, key, labels, tables } from './memory';
`;

interface Probe {
  readonly memory: WebAssembly.Memory;
  readonly delta: WebAssembly.Global<'i32'>;
  readonly key: WebAssembly.Global<'i32'>;
  readonly labels: WebAssembly.Global<'i32'>;
  readonly tables: WebAssembly.Global<'i32'>;
  probe(garbling: number, count: number): void;
}

describe("the kernel's half-gate step", () => {
  const { key, delta, word } = labelsOf('kernel step');
  const gates = CASES.map((one) => ({ ...one, zeroA: word(one.pa), zeroB: word(one.pb), mask: word(one.pa ^ one.b) }));
  let module: WebAssembly.Module;
  beforeAll(async () => {
    module = new WebAssembly.Module((await compileKernel({ 'index.ts': PROBE })) as Uint8Array<ArrayBuffer>);
  });

  function run(garbling: boolean, triples: Uint32Array[], tables: Uint8Array, secrets = { key, delta }) {
    const calls = new WebAssembly.Instance(module).exports as unknown as Probe;
    const put = (place: WebAssembly.Global<'i32'>, bytes: Uint8Array) =>
      new Uint8Array(calls.memory.buffer).set(bytes, place.value);
    const count = triples.length / 3;
    put(calls.key, bytesOf(secrets.key));
    if (garbling) put(calls.delta, bytesOf(secrets.delta));
    put(calls.labels, Buffer.concat(triples.map(bytesOf)));
    put(calls.tables, tables);
    calls.probe(garbling ? 1 : 0, count);
    const view = (place: WebAssembly.Global<'i32'>, length: number) =>
      new Uint8Array(calls.memory.buffer, place.value, length).slice();
    const results = view(calls.labels, 48 * count);
    return {
      tables: view(calls.tables, 32 * count),
      outputs: Array.from({ length: count }, (_, i) => toWords(results.subarray(48 * i, 48 * i + 16))),
    };
  }

  it('is right for four value pairs and both colours of both inputs, and equals the twin', () => {
    const garbled = run(
      true,
      gates.flatMap(({ zeroA, zeroB, mask }) => [zeroA, zeroB, mask]),
      new Uint8Array(0),
    );
    gates.forEach(({ zeroA, zeroB, mask }, i) => {
      const { generator, evaluator, output } = garbleAnd(key, delta, i, zeroA, zeroB);
      const table = Buffer.concat([bytesOf(generator), bytesOf(evaluator)]);
      expect(toHex(garbled.tables.subarray(32 * i, 32 * i + 32))).toBe(table.toString('hex'));
      expect(garbled.outputs[i]).toEqual(xor(output, mask));
    });
    const active = (zero: Uint32Array, value: number): Uint32Array => (value ? xor(zero, delta) : zero);
    const triples = gates.flatMap(({ zeroA, zeroB, mask, a, b }) => [active(zeroA, a), active(zeroB, b), mask]);
    const evaluated = run(false, triples, garbled.tables);
    gates.forEach(({ a, b }, i) => {
      expect(evaluated.outputs[i]).toEqual(active(garbled.outputs[i]!, a & b));
    });
  });

  it('gives the known tables', () => {
    // The queue numbers its gates from 0.
    const first = known.gates.filter(({ gate }, i) => gate === i);
    const triples = first.flatMap(({ a, b }) => [words(a), words(b), new Uint32Array(4)]);
    const secrets = { key: words(known.key), delta: words(known.delta) };
    const { tables, outputs } = run(true, triples, new Uint8Array(0), secrets);
    expect(toHex(tables)).toBe(first.map(({ generator, evaluator }) => generator + evaluator).join(''));
    expect(outputs.map((output) => toHex(bytesOf(output)))).toEqual(first.map(({ output }) => output));
  });

  it('does not depend on how many gates come together', () => {
    const triples = gates.flatMap(({ zeroA, zeroB, mask }) => [zeroA, zeroB, mask]);
    const whole = run(true, triples, new Uint8Array(0)).tables;
    for (let count = 1; count < 16; count++) {
      expect(run(true, triples.slice(0, 3 * count), new Uint8Array(0)).tables).toEqual(whole.subarray(0, 32 * count));
    }
  });
});
