export type { Group, Point, Term } from './group.ts';
export type { Ristretto } from './ristretto.ts';
export { decodeScalar, decodeWideScalar, encodeScalar, invertScalar, L, modL } from './scalar.ts';
export { createGroup } from './wasm-group.ts';
