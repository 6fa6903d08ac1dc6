import { concatBytes, utf8 } from '@streaming-yao/core';
import type { Chance } from './chance.ts';

const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0xffff_ffff];

/** Pieces that decoders of text and of bytes stumble over. */
const PIECES = [
  ...['\u{feff}', '\0', '\n', ' ', '"', '\\', '.', '=', '-', ':', ',', '0', '1', '-0', '1e9', '16777216', '99999999999999999999'],
  ...['null', 'true', '[]', '{}', '{"__proto__":1}', '"constructor"', '\u{1f511}', '\u{202e}'],
].map(utf8);

/** Somewhere, and often near the beginning, where lengths and tags stand. */
const somewhere = (length: number, chance: Chance): number => chance.below(chance.below(2) ? length : Math.min(length, 48));

type Mutator = (input: Uint8Array, chance: Chance, other: Uint8Array) => Uint8Array;

const cut = (input: Uint8Array, from: number, to: number, put: Uint8Array): Uint8Array =>
  concatBytes(input.subarray(0, from), put, input.subarray(to));

function range(input: Uint8Array, chance: Chance): readonly [number, number] {
  const from = somewhere(input.length + 1, chance);
  return [from, Math.min(input.length, from + 1 + chance.below(chance.pick([2, 8, 64, 1024])))];
}

/** A whole number of 1 to 4 bytes, big-endian, moved a little or set to an edge. */
const number: Mutator = (input, chance) => {
  const width = 1 + chance.below(4);
  if (input.length < width) return input;
  const copy = Buffer.from(input);
  const at = somewhere(copy.length - width + 1, chance);
  const found = copy.readUIntBE(at, width);
  const wanted = chance.below(2) ? found + chance.below(17) - 8 : chance.pick(EDGES);
  copy.writeUIntBE(((wanted % 256 ** width) + 256 ** width) % 256 ** width, at, width);
  return Uint8Array.from(copy);
};

const MUTATORS: readonly Mutator[] = [
  (input, chance) => {
    if (input.length === 0) return input;
    const copy = input.slice();
    const at = somewhere(copy.length, chance);
    copy[at] = (copy[at] as number) ^ (1 << chance.below(8));
    return copy;
  },
  number,
  (input, chance) => cut(input, ...range(input, chance), new Uint8Array(0)),
  (input, chance) => {
    const [from, to] = range(input, chance);
    return cut(input, to, to, input.subarray(from, to));
  },
  (input, chance) => {
    const at = somewhere(input.length + 1, chance);
    return cut(input, at, at, chance.pick(PIECES));
  },
  // A piece together with the length byte before it, as a length-prefixed encoding would have it.
  (input, chance) => {
    if (input.length === 0) return input;
    const [at, piece] = [somewhere(input.length, chance), chance.pick(PIECES)];
    const grown = Uint8Array.of(((input[at] as number) + piece.length) & 0xff);
    return cut(input, at, at + 1, concatBytes(grown, piece));
  },
  (input, chance) => cut(input, ...range(input, chance), chance.bytes(chance.below(9))),
  (input, chance, other) =>
    concatBytes(input.subarray(0, chance.below(input.length + 1)), other.subarray(chance.below(other.length + 1))),
  (input, chance) => input.subarray(0, chance.below(input.length + 1)),
  (input, chance) => concatBytes(input, new Uint8Array(chance.pick([1, 16, 4096, 65_536])).fill(chance.below(256))),
];

/** A few changes, one on top of the other, and never more bytes than `maxBytes`. */
export function mutate(input: Uint8Array, other: Uint8Array, chance: Chance, maxBytes: number): Uint8Array {
  let changed = input;
  for (let left = 1 + chance.below(chance.pick([1, 2, 6])); left > 0; left--)
    changed = chance.pick(MUTATORS)(changed, chance, other);
  return Uint8Array.from(changed.subarray(0, maxBytes));
}
