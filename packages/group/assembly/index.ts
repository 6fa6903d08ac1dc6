import { fillBaseMultiples } from './combine';
import { fillFixedBase } from './fixed';
import { fillComb } from './multiply';

export { EXCHANGE, wipe } from './arena';
export { addPoints, combine, combineBase, combineTerm } from './combine';
export { combineFixed, FIXED, fixPoint } from './fixed';
export { baseMultiply, multiplyPoint } from './multiply';
export { decode, encode, encodeMontgomery, encodeTwo, isIdentity, isSmallOrder } from './point';
export { negatePoint, ristrettoDecode, ristrettoEncode, ristrettoMap } from './ristretto';
export { scalarIsCanonical, scalarMultiplyAdd, scalarReduce } from './scalar';
export { HASH_INPUT, sha512Absorb, sha512Finish, sha512Start } from './sha512';
export { isTorsionFree } from './torsion';

/** Fills the tables of multiples of G; once, before anything else. */
export function fillTables(): void {
  fillComb();
  fillBaseMultiples();
  fillFixedBase();
}
