// Wires to additive shares modulo a prime, four at once; src/share/projection.ts gives the formulas.

import { counters, hashLanes } from './block-hash';
import { colourLanes, firstLanes, transpose, transposeBack } from './lanes';
import {
  block,
  coloured,
  delta,
  firstResidue,
  LABEL,
  labels,
  message,
  operand,
  secondResidue,
  share,
  tables,
  total,
  weights,
  wide,
} from './memory';
import { addLanes, addTo, clear, modulusLimb, reduce, reduceSum, settle, takeFrom } from './modular';

const SCALAR: usize = 32;

export function beginShare(): void {
  clear(total);
}

/** Brings four scalars into lanes. */
function loadScalars(from: usize): void {
  transpose(operand, from, SCALAR);
  transpose(operand + 64, from + 16, SCALAR);
}

/** Projects `count` wires: zero-labels at `labels`, weights at `weights`, ciphertexts to `tables`. */
export function projectGarbler(count: u32, firstIndex: u32): void {
  for (let i: u32 = 0; i < count; i += 4) {
    transpose(message, labels + <usize>i * LABEL, LABEL);
    const p = colourLanes(v128.load(message));
    for (let word: usize = 0; word < 4; word++) {
      const difference = v128.load32_splat(delta + (word << 2));
      const colourless = v128.xor(v128.load(message + (word << 4)), v128.and(p, difference));
      v128.store(message + (word << 4), colourless);
      v128.store(coloured + (word << 4), v128.xor(colourless, difference));
    }
    hashLanes(block, counters(firstIndex + i, 1));
    reduce(firstResidue, block);
    memory.copy(message, coloured, 64);
    hashLanes(block, counters(firstIndex + i, 1));
    reduce(secondResidue, block);
    loadScalars(weights + <usize>i * SCALAR);
    addGarbled(p, firstLanes(count - i));
    settle(operand, wide, 3);
    transposeBack(tables + <usize>i * SCALAR, SCALAR, operand);
    transposeBack(tables + <usize>i * SCALAR + 16, SCALAR, operand + 64);
  }
}

/** Adds alpha + m to the total and puts t + 2m, below 4m, into `wide`. */
function addGarbled(p: v128, wires: v128): void {
  clear(wide);
  for (let limb: usize = 0; limb < 8; limb++) {
    const weight = v128.load(operand + (limb << 4));
    const first = v128.load(firstResidue + (limb << 4));
    addTo(total, limb, v128.and(v128.and(weight, p), wires));
    takeFrom(total, limb, v128.and(first, wires));
    addTo(total, limb, v128.and(modulusLimb(limb), wires));
    addTo(wide, limb, v128.andnot(weight, p));
    takeFrom(wide, limb, v128.and(weight, p));
    addTo(wide, limb, first);
    takeFrom(wide, limb, v128.load(secondResidue + (limb << 4)));
    addTo(wide, limb, modulusLimb(limb));
    addTo(wide, limb, modulusLimb(limb));
  }
}

/** Projects `count` wires: active labels at `labels`, ciphertexts at `tables`. */
export function projectEvaluator(count: u32, firstIndex: u32): void {
  for (let i: u32 = 0; i < count; i += 4) {
    transpose(message, labels + <usize>i * LABEL, LABEL);
    const wires = firstLanes(count - i);
    const chosen = v128.and(colourLanes(v128.load(message)), wires);
    hashLanes(block, counters(firstIndex + i, 1));
    reduce(firstResidue, block);
    loadScalars(tables + <usize>i * SCALAR);
    for (let limb: usize = 0; limb < 8; limb++) {
      addTo(total, limb, v128.and(v128.load(firstResidue + (limb << 4)), wires));
      addTo(total, limb, v128.and(v128.load(operand + (limb << 4)), chosen));
    }
  }
}

/** Reduces the total to the share. */
export function finishShare(): void {
  addLanes(total);
  reduceSum(operand, total, block);
  transposeBack(tables, SCALAR, operand);
  transposeBack(tables + 16, SCALAR, operand + 64);
  memory.copy(share, tables, SCALAR);
}
