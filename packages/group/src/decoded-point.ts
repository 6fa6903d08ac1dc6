import { YaoError } from '@streaming-yao/core';
import type { Point } from './group.ts';

/** A point with its coordinates as the kernel has them. */
export class DecodedPoint implements Point {
  readonly encoded: Uint8Array;
  readonly coordinates: Uint8Array;
  /** What `fix` adds. */
  readonly multiples: Uint8Array | undefined;

  constructor(encoded: Uint8Array, coordinates: Uint8Array, multiples?: Uint8Array) {
    this.encoded = encoded;
    this.coordinates = coordinates;
    this.multiples = multiples;
  }
}

/** @throws YaoError `invalid_point` for an object that no group made */
export function decoded(point: Point): DecodedPoint {
  if (point instanceof DecodedPoint) return point;
  throw new YaoError('invalid_point', 'this point was not decoded by the group; pass its bytes to decodePoint');
}
