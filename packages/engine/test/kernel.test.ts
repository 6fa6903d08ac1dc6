import { createHash } from 'node:crypto';
import { SecretBytes, toHex } from '@streaming-yao/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import { CIRCUITS, FREE_BITS } from '../src/circuit/ceremony-circuits.ts';
import { twin } from '../src/garble/twin.ts';
import { createGarbler } from '../src/index.ts';
import { loadKernel } from '../src/node.ts';
import { codeOf, tape } from './fixtures.ts';
import {
  activeLabels,
  bitOf,
  decode,
  evaluateAll,
  evaluatorOf,
  FRAME_BYTES,
  garbleAll,
  garblerOf,
  LABEL,
  reveal,
  type Secrets,
  secretsOf,
} from './garbling.ts';

const kernel = loadKernel();
const { tableBytes } = CIRCUITS.activation;

function freeBits(seed: Uint8Array): number[] {
  const digest = createHash('sha512').update(seed).digest();
  return Array.from({ length: FREE_BITS.end - FREE_BITS.first }, (_, i) => bitOf(digest, FREE_BITS.first + i));
}

/** Garbles and evaluates with the kernel; returns the output bits. */
function compute(secrets: Secrets): number[] {
  const { tables, outputs } = garbleAll(kernel, secrets);
  return decode(outputs, secrets.delta, evaluateAll(kernel, secrets, tables));
}

describe('kernel and twin give the same bytes', () => {
  it('tables, zero-labels and active labels', () => {
    const secrets = secretsOf('twins');
    const [ours, theirs] = [garbleAll(kernel, secrets), garbleAll(twin, secrets)];
    expect(toHex(ours.tables) === toHex(theirs.tables)).toBe(true);
    expect(toHex(ours.outputs)).toBe(toHex(theirs.outputs));
    expect(toHex(evaluateAll(kernel, secrets, ours.tables))).toBe(toHex(evaluateAll(twin, secrets, ours.tables)));
  }, 240_000);

  it('tables are not of the seed, but of key, delta and labels', () => {
    const secrets = secretsOf('dependence');
    const digest = (changed: Partial<Secrets>): string => toHex(garbleAll(kernel, { ...secrets, ...changed }).tables.slice(-32));
    const whole = digest({});
    const flip = (bytes: Uint8Array): Uint8Array => bytes.with(9, bytes[9]! ^ 4);
    expect(digest({ seed: flip(secrets.seed) })).toBe(whole);
    for (const field of ['gateKey', 'delta', 'zeroLabels'] as const) {
      expect(digest({ [field]: flip(secrets[field]) })).not.toBe(whole);
    }
  });
});

describe('the kernel computes SHA-512', () => {
  const seeds = [
    ...rfc8032.cases.map(({ secretKey }) => Uint8Array.from(Buffer.from(secretKey, 'hex'))),
    new Uint8Array(32),
    new Uint8Array(32).fill(255),
    ...Array.from({ length: 200 }, (_, i) => tape(`seed ${i}`)(32)),
  ];

  it('of RFC 8032 keys, all-zero, all-one and 200 random seeds', () => {
    seeds.forEach((seed, i) => {
      expect(compute({ ...secretsOf(`labels ${i}`), seed }), `seed ${i}`).toEqual(freeBits(seed));
    });
  }, 240_000);
});

describe('streaming', () => {
  const secrets = secretsOf('streaming');
  let whole: ReturnType<typeof garbleAll>;
  let active: Uint8Array;
  beforeAll(() => {
    whole = garbleAll(kernel, secrets);
    active = evaluateAll(kernel, secrets, whole.tables);
  });

  it('gives the same tables for buffers of any length', () => {
    const sizes = fc.array(fc.integer({ min: 32, max: 200_000 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pulled = garbleAll(kernel, secrets, (n) => lengths[n % lengths.length]!);
        expect(Buffer.compare(pulled.tables, whole.tables)).toBe(0);
        expect(Buffer.compare(pulled.outputs, whole.outputs)).toBe(0);
      }),
      { numRuns: 25, examples: [[[32, 65_536]], [[tableBytes]], [[tableBytes + 1]], [[tableBytes - 32, 32]], [[384, 352, 416]]] },
    );
  });

  it('takes chunks of any number of gates', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(sizes, (gates) => {
        const chunk = (n: number): number => (n % 10 === 9 ? 640 : 32 * gates[n % gates.length]!);
        expect(Buffer.compare(evaluateAll(kernel, secrets, whole.tables, chunk), active)).toBe(0);
      }),
      { numRuns: 25, examples: [[[1]], [[0]], [[2046]], [[2048, 1]], [[11, 12, 13]]] },
    );
  });

  it('fills as many whole gates as fit, and nothing behind them', () => {
    const garbler = garblerOf(kernel, secrets);
    const buffer = new Uint8Array(100).fill(0xaa);
    expect(garbler.nextTables(buffer)).toBe(96);
    expect(buffer.subarray(0, 96)).toEqual(whole.tables.subarray(0, 96));
    expect(buffer.subarray(96)).toEqual(new Uint8Array(4).fill(0xaa));
    garbler.wipe();
  });

  it('ends: 1,720,096 bytes, then 0 for ever', () => {
    const garbler = garblerOf(kernel, secrets);
    const frame = new Uint8Array(FRAME_BYTES);
    const lengths: number[] = [];
    for (let n = 0; n < 30; n++) lengths.push(garbler.nextTables(frame));
    expect(lengths.reduce((total, length) => total + length)).toBe(1_720_096);
    expect(lengths.slice(0, 26).every((length) => length === FRAME_BYTES)).toBe(true);
    expect(lengths.slice(26)).toEqual([tableBytes - 26 * FRAME_BYTES, 0, 0, 0]);
    garbler.wipe();
  });

  it('keeps interleaved ceremonies apart', () => {
    const others = ['one', 'two', 'three'].map(secretsOf);
    const alone = others.map((one) => garbleAll(kernel, one));
    const running = others.map((one) => ({ garbler: garblerOf(kernel, one), evaluator: evaluatorOf(kernel, one) }));
    const frame = new Uint8Array(20_000);
    for (let turn = 0; running.some(({ evaluator }) => !evaluator.complete); turn++) {
      const { garbler, evaluator } = running[(turn * turn + (turn >> 2)) % 3]!;
      evaluator.acceptTables(frame.subarray(0, garbler.nextTables(frame)));
    }
    running.forEach(({ garbler, evaluator }, i) => {
      const zero = reveal(garbler.outputZeroLabels());
      expect(zero).toEqual(alone[i]!.outputs);
      expect(decode(zero, others[i]!.delta, reveal(evaluator.outputLabels()))).toEqual(freeBits(others[i]!.seed));
      garbler.wipe();
      evaluator.wipe();
    });
  });

  it('of a foreign circuit gives labels of neither bit', () => {
    // Of a gate's two halves, colours decide which are read: of twenty gates some are.
    const damaged = whole.tables.map((byte, i) => (i < 640 ? byte ^ 1 : byte));
    const other = garbleAll(kernel, { ...secrets, gateKey: secretsOf('another').gateKey }).tables;
    for (const tables of [damaged, other]) {
      expect(() => decode(whole.outputs, secrets.delta, evaluateAll(kernel, secrets, tables))).toThrow('neither');
    }
  });
});

describe.each([
  ['kernel', kernel],
  ['twin', twin],
])('the %s refuses', (_, engine) => {
  const secrets = secretsOf('refusals');

  it('tables that are no whole gates, or more than the circuit has', () => {
    const evaluator = evaluatorOf(engine, secrets);
    for (const length of [1, 31, 33, 65_471]) {
      expect(codeOf(() => evaluator.acceptTables(new Uint8Array(length)))).toBe('frame_invalid');
    }
    expect(codeOf(() => evaluator.acceptTables(new Uint8Array(tableBytes + 32)))).toBe('frame_invalid');
    evaluator.acceptTables(new Uint8Array(64));
    expect(codeOf(() => evaluator.acceptTables(new Uint8Array(tableBytes - 32)))).toBe('frame_invalid');
    expect(evaluator.complete).toBe(false);
    evaluator.wipe();
  });

  it('any table of a circuit that has none', () => {
    const evaluator = evaluatorOf(engine, secrets, 'export');
    expect(evaluator.complete).toBe(true);
    evaluator.acceptTables(new Uint8Array(0));
    expect(codeOf(() => evaluator.acceptTables(new Uint8Array(32)))).toBe('frame_invalid');
    evaluator.wipe();
  });

  it('a buffer without room for a gate', () => {
    for (const circuit of ['activation', 'export'] as const) {
      const garbler = garblerOf(engine, secrets, circuit);
      expect(codeOf(() => garbler.nextTables(new Uint8Array(31)))).toBe('invalid_length');
      garbler.wipe();
    }
  });

  it('outputs before the end', () => {
    const [garbler, evaluator] = [garblerOf(engine, secrets), evaluatorOf(engine, secrets)];
    garbler.nextTables(new Uint8Array(320));
    expect(codeOf(() => garbler.outputZeroLabels())).toBe('not_ready');
    expect(codeOf(() => evaluator.outputLabels())).toBe('not_ready');
    garbler.wipe();
    evaluator.wipe();
  });

  it.each(['activation', 'export'] as const)('any use after wiping (%s)', (circuit) => {
    const [garbler, evaluator] = [garblerOf(engine, secrets, circuit), evaluatorOf(engine, secrets, circuit)];
    garbler.wipe();
    garbler.wipe();
    evaluator.wipe();
    for (const use of [
      () => garbler.nextTables(new Uint8Array(32)),
      () => garbler.outputZeroLabels(),
      () => evaluator.acceptTables(new Uint8Array(32)),
      () => evaluator.complete,
      () => evaluator.outputLabels(),
    ]) {
      expect(codeOf(use)).toBe('secret_wiped');
    }
  });

  it('secrets of a wrong shape', () => {
    const even = secrets.delta.with(0, secrets.delta[0]! & 0xfe);
    expect(codeOf(() => garblerOf(engine, { ...secrets, delta: even }))).toBe('invalid_request');
    expect(codeOf(() => garblerOf(engine, { ...secrets, delta: secrets.delta.subarray(1) }))).toBe('invalid_request');
    expect(codeOf(() => garblerOf(engine, { ...secrets, gateKey: secrets.gateKey.subarray(1) }))).toBe('invalid_length');
    expect(codeOf(() => garblerOf(engine, { ...secrets, zeroLabels: secrets.zeroLabels.subarray(1) }))).toBe('invalid_length');
    expect(codeOf(() => evaluatorOf(engine, { ...secrets, gateKey: new Uint8Array(33) }))).toBe('invalid_length');
    expect(codeOf(() => evaluatorOf(engine, { ...secrets, zeroLabels: new Uint8Array(8) }))).toBe('invalid_length');
  });

  it('secrets that were wiped', () => {
    const wiped = SecretBytes.own(new Uint8Array(256 * LABEL));
    wiped.wipe();
    const create = () =>
      createGarbler(engine, {
        circuit: 'activation',
        gateKey: SecretBytes.copy(secrets.gateKey),
        delta: SecretBytes.copy(secrets.delta),
        inputZeroLabels: wiped,
      });
    expect(codeOf(create)).toBe('secret_wiped');
  });

  it('to change what its caller holds: export hands out copies', () => {
    const garbler = garblerOf(engine, secrets, 'export');
    const evaluator = evaluatorOf(engine, secrets, 'export');
    const [zero, active] = [garbler.outputZeroLabels(), evaluator.outputLabels()];
    garbler.wipe();
    evaluator.wipe();
    expect(reveal(zero)).toEqual(secrets.zeroLabels);
    expect(reveal(active)).toEqual(activeLabels(secrets.zeroLabels, secrets.delta, (wire) => bitOf(secrets.seed, wire)));
  });
});
