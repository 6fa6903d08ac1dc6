import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';
import type { Ristretto } from '@streaming-yao/group';
import { littleEndianToNumber } from '../src/share/modulus.ts';

const { Point } = ristretto255;

/** ristretto255 on @noble/curves alone: the oracle. */
export const nobleRistretto: Ristretto = {
  fromUniform: (bytes) => ristretto255_hasher.deriveToCurve!(bytes).toBytes(),
  baseMultiply: (secret) => Point.BASE.multiply(secret.use(littleEndianToNumber)).toBytes(),
  multiply: (secret, element) => Point.fromBytes(element).multiply(secret.use(littleEndianToNumber)).toBytes(),
  add: (left, right) => Point.fromBytes(left).add(Point.fromBytes(right)).toBytes(),
  subtract: (left, right) => Point.fromBytes(left).subtract(Point.fromBytes(right)).toBytes(),
};
