import { blake3Block } from './blake3.ts';

/**
 * A label, a hash of one, or half a gate's table: four little-endian words.
 * Everything here is one of "Two Halves Make a Whole" (Zahur, Rosulek, Evans, Eurocrypt 2015), in its notation.
 */
export type Block = Uint32Array;

export function xor(left: Block, right: Block): Block {
  const sum = new Uint32Array(4);
  for (let i = 0; i < 4; i++) sum[i] = left[i]! ^ right[i]!;
  return sum;
}

/** `block` where `bit` is 1, zero where it is 0, without a branch. */
const masked = (bit: number, block: Block): Block => block.map((word) => word & -bit);

export const colour = (label: Block): number => label[0]! & 1;

/** The gate hash H(label, index): the first 16 bytes of output block `index` of keyed BLAKE3. */
export function gateHash(key: Uint32Array, label: Block, index: number): Block {
  const output = new Uint32Array(16);
  blake3Block(key, label, index, output);
  return output.subarray(0, 4);
}

export interface GarbledGate {
  /** The generator's half of the table, TG. */
  readonly generator: Block;
  /** The evaluator's half of the table, TE. */
  readonly evaluator: Block;
  /** Zero-label of the output wire. */
  readonly output: Block;
}

/**
 * Garbles one AND gate.
 * @param gate number of the gate among the circuit's AND gates
 */
export function garbleAnd(key: Uint32Array, delta: Block, gate: number, a: Block, b: Block): GarbledGate {
  const [j, k] = [2 * gate, 2 * gate + 1];
  const hashA = gateHash(key, a, j);
  const hashB = gateHash(key, b, k);
  const generator = xor(xor(hashA, gateHash(key, xor(a, delta), j)), masked(colour(b), delta));
  const evaluator = xor(xor(hashB, gateHash(key, xor(b, delta), k)), a);
  const generatorOutput = xor(hashA, masked(colour(a), generator));
  const evaluatorOutput = xor(hashB, masked(colour(b), xor(evaluator, a)));
  return { generator, evaluator, output: xor(generatorOutput, evaluatorOutput) };
}

/** Evaluates one AND gate on the active labels of its inputs, to the active label of its output. */
export function evaluateAnd(key: Uint32Array, gate: number, a: Block, b: Block, generator: Block, evaluator: Block): Block {
  const generatorOutput = xor(gateHash(key, a, 2 * gate), masked(colour(a), generator));
  const evaluatorOutput = xor(gateHash(key, b, 2 * gate + 1), masked(colour(b), xor(evaluator, a)));
  return xor(generatorOutput, evaluatorOutput);
}
