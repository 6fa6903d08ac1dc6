// Everything that depends on an input lives in one block, so that one fill wipes it.

const BYTES: i32 = 0x4500;
const ARENA: usize = memory.data(BYTES, 16);

/** Where the caller puts inputs and finds outputs. */
export const EXCHANGE: usize = ARENA;
/** Field elements of the exponentiation chains. */
export const CHAIN: usize = ARENA + 0x400;
/** Coordinates while they are encoded or decoded. */
export const AFFINE: usize = ARENA + 0x600;
/** Columns and limbs of scalar products. */
export const SCALAR: usize = ARENA + 0x800;
/** Digits of recoded scalars: 256 bytes for each of at most eight terms, and one for the base point. */
export const DIGITS: usize = ARENA + 0xa00;
/** Operands of lane products. */
export const LANES: usize = ARENA + 0x1400;
/** Multiples of points: eight for each of at most eight terms. */
export const MULTIPLES: usize = ARENA + 0x1800;
/** Field elements and a point of ristretto.ts. */
export const RISTRETTO: usize = ARENA + 0x4000;

/** State and schedule of sha512.ts. */
export const HASH: usize = ARENA + 0x4400;

export function wipe(): void {
  memory.fill(ARENA, 0, BYTES);
}
