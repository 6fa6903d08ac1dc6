export type { Group, Point, Term } from './group.ts';
export { decodeScalar, encodeScalar, invertScalar, L, modL } from './scalar.ts';
