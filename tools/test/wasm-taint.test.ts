import binaryen from 'binaryen';
import { describe, expect, it } from 'vitest';
import { type SecretSource, secretDependence } from '../wasm-taint.ts';

/** Assembles a module whose function `f` has this body; $p is a public parameter, memory holds the secrets. */
function assemble(body: string, more = ''): Uint8Array {
  const module = binaryen.parseText(`(module
    ${more}
    (memory 1)
    (global $g (mut i32) (i32.const 0))
    (export "f" (func $f))
    (func $f (param $p i32) (result i32) (local $x i32) (local $v v128) ${body}))`);
  module.setFeatures(binaryen.Features.All);
  try {
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

function kinds(body: string, { more = '', source = 'every load' }: { more?: string; source?: SecretSource } = {}): string[] {
  return secretDependence(assemble(body, more), { exports: ['f'], source }).map(({ kind }) => kind);
}

const SECRET = '(i32.load (local.get $p))';
const LANE = '(i32x4.extract_lane 0 (v128.load (local.get $p)))';

describe('planted dependences on secrets', () => {
  it.each([
    ['an if', 'branch', `(if (result i32) ${SECRET} (then (i32.const 1)) (else (i32.const 2)))`],
    ['a conditional break', 'branch', `(block $b (br_if $b ${SECRET})) (i32.const 0)`],
    ['a switch', 'branch', `(block $b (br_table $b $b ${SECRET})) (i32.const 0)`],
    ['a loop bound', 'branch', `(loop $l (br_if $l (i32.lt_u (local.get $p) ${SECRET}))) (i32.const 0)`],
    ['a select', 'select', `(select (i32.const 1) (i32.const 2) ${SECRET})`],
    ['a table look-up', 'address', `(i32.load8_u offset=64 (i32.and ${SECRET} (i32.const 15)))`],
    ['a store address', 'address', `(i32.store (i32.shl ${SECRET} (i32.const 2)) (i32.const 0)) (i32.const 0)`],
    ['a vector address', 'address', `(i32x4.extract_lane 0 (v128.load ${LANE}))`],
    ['a copy', 'address', `(memory.copy (local.get $p) ${SECRET} (i32.const 4)) (i32.const 0)`],
    ['a fill length', 'length', `(memory.fill (local.get $p) (i32.const 0) ${SECRET}) (i32.const 0)`],
    ['a division', 'division', `(i32.div_u (local.get $p) ${SECRET})`],
    ['a remainder', 'division', `(i32.rem_s ${SECRET} (i32.const 3))`],
    ['a local', 'branch', `(local.set $x ${SECRET}) (block $b (br_if $b (i32.and (local.get $x) (i32.const 1)))) (i32.const 0)`],
    ['a global', 'branch', `(block $b (br_if $b (global.get $g))) (global.set $g ${SECRET}) (i32.const 0)`],
    ['a block value', 'branch', `(if (block $b (result i32) (br $b ${SECRET})) (then (nop))) (i32.const 0)`],
    [
      'lanes',
      'branch',
      `(if (i32x4.all_true (i32x4.eq (v128.load (local.get $p)) (v128.const i32x4 1 2 3 4))) (then (nop))) (i32.const 0)`,
    ],
  ])('through %s are found', (_, kind, body) => {
    expect(kinds(body)).toEqual([kind]);
  });

  it('are followed into and out of calls', () => {
    const callee = '(func $test (param i32) (block $b (br_if $b (local.get 0))))';
    expect(kinds(`(call $test ${SECRET}) (i32.const 0)`, { more: callee })).toEqual(['branch']);
    const producer = `(func $load (param i32) (result i32) (i32.load (local.get 0)))`;
    expect(kinds('(if (call $load (local.get $p)) (then (nop))) (i32.const 0)', { more: producer })).toEqual(['branch']);
  });

  it('cannot hide behind an indirect call or an import', () => {
    const table = '(table 1 funcref) (elem (i32.const 0) $f)';
    const indirect = '(call_indirect (param i32) (result i32) (local.get $p) (i32.const 0))';
    expect(kinds(indirect, { more: table })).toEqual(['indirect call']);
    expect(() => kinds(`(call $out ${SECRET}) (i32.const 0)`, { more: '(import "m" "out" (func $out (param i32)))' })).toThrow(
      'imported',
    );
  });
});

describe('with vector loads as the secrets', () => {
  const source = 'vector loads';

  it('scalar loads are public, lanes are not', () => {
    expect(kinds(`(if ${SECRET} (then (nop))) (i32.const 0)`, { source })).toEqual([]);
    expect(kinds(`(if ${LANE} (then (nop))) (i32.const 0)`, { source })).toEqual(['branch']);
  });

  it('a lane may not get out through a scalar store', () => {
    expect(kinds(`(i32.store (local.get $p) ${LANE}) (i32.const 0)`, { source })).toEqual(['escape']);
    expect(kinds(`(v128.store32_lane 0 (local.get $p) (v128.load (local.get $p))) (i32.const 0)`, { source })).toEqual([
      'escape',
    ]);
  });
});

describe('what does not depend on secrets', () => {
  it.each([
    ['arithmetic and masks', `(i32.xor ${SECRET} (i32.sub (i32.const 0) (i32.and ${SECRET} (i32.const 1))))`],
    [
      'a public loop',
      '(loop $l (local.set $x (i32.add (local.get $x) (i32.const 1))) (br_if $l (i32.lt_u (local.get $x) (i32.const 9)))) (i32.const 0)',
    ],
    [
      'a local that was secret before',
      `(local.set $x ${SECRET}) (local.set $x (i32.const 1)) (if (local.get $x) (then (nop))) (i32.const 0)`,
    ],
    [
      'masked vectors',
      '(i32x4.extract_lane 0 (v128.bitselect (v128.load (local.get $p)) (local.get $v) (v128.load offset=16 (local.get $p))))',
    ],
  ])('passes: %s', (_, body) => {
    expect(kinds(body)).toEqual([]);
  });

  it('but a function that is not there is an error', () => {
    expect(() => secretDependence(assemble('(i32.const 0)'), { exports: ['g'], source: 'every load' })).toThrow('exports no "g"');
  });
});
