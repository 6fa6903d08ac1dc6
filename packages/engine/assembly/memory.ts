// The layout of linear memory. Public data (counts, places, constants) and secret data (labels, keys, numbers made from
// them) lie apart: secret bytes are read and written by v128 instructions only, public ones by scalar instructions only.

/** Bytes of a label. */
export const LABEL: usize = 16;
/** Bytes of a 64-bit word of labels. */
export const WORD: usize = 64 * LABEL;

const WORDS: usize = 31;
const SUMS: usize = 4;
/** Bytes of a number in four lanes: a vector for each 32-bit limb. */
const LIMB: usize = 16;
/** Bytes of a limb that is being added to: four lanes of 64 bits. */
const WIDE_LIMB: usize = 32;

/** Most labels of one call to hash or project them. */
export const LABELS_LENGTH: usize = 512;

/** Most AND gates that are collected before they are hashed. */
export const QUEUE_LENGTH: usize = 16;
/** Largest amount of table bytes that goes in or out at once. */
export const TABLES_LENGTH: usize = 65536;

// Public.
export const known: usize = memory.data(WORDS * 8, 16);
export const values: usize = memory.data(WORDS * 8, 16);
export const sums: usize = memory.data(SUMS * 64, 16);
export const destinations: usize = memory.data(QUEUE_LENGTH * 4, 16);
export const modulus: usize = memory.data(128, 16);
export const weights: usize = memory.data(LABELS_LENGTH * 32, 16);

// Secret, from here to the end.
export const delta: usize = memory.data(LABEL, 16);
export const key: usize = memory.data(32, 16);
export const keyState: usize = memory.data(14 * 16, 16);
export const labels: usize = memory.data(LABELS_LENGTH * LABEL, 16);
export const words: usize = memory.data(WORDS * WORD, 16);
export const carries: usize = memory.data(SUMS * 16 * LABEL, 16);
export const queue: usize = memory.data((QUEUE_LENGTH + 1) * 4 * LABEL, 16);
export const state: usize = memory.data(16 * LIMB, 16);
export const message: usize = memory.data(5 * LIMB, 16);
export const coloured: usize = memory.data(4 * LIMB, 16);
export const block: usize = memory.data(16 * LIMB, 16);
export const firstResidue: usize = memory.data(8 * LIMB, 16);
export const secondResidue: usize = memory.data(8 * LIMB, 16);
export const operand: usize = memory.data(8 * LIMB, 16);
export const wide: usize = memory.data(17 * WIDE_LIMB, 16);
export const total: usize = memory.data(17 * WIDE_LIMB, 16);
export const share: usize = memory.data(32, 16);
// Room behind a full buffer for the rest of a column that began inside it.
export const tables: usize = memory.data(TABLES_LENGTH + QUEUE_LENGTH * 32, 16);
export const end: usize = memory.data(16, 16);

/** Forgets everything but constants. */
export function wipe(): void {
  memory.fill(known, 0, end - known);
}
