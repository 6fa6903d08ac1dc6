import { FREE_BITS } from './circuit/ceremony-circuits.ts';
import { LABEL_BYTES } from './garble/party.ts';
import { bitAt } from './ot/base.ts';
import { bitWeights } from './share/modulus.ts';
import { SEED_WIRES } from './sizes.ts';

/** What the free bits of the scalar are worth, and the hash indices of their projection: bit i has weight 2^i and index i. */
export const OUTPUT_PROJECTION = {
  weights: bitWeights(FREE_BITS.first, FREE_BITS.end - FREE_BITS.first),
  firstIndex: FREE_BITS.first,
};

/** The same for the seed, read as a little-endian number; its indices lie above those of the scalar. */
export const INPUT_PROJECTION = { weights: bitWeights(0, SEED_WIRES), firstIndex: SEED_WIRES };

/**
 * Joins the garbler's input for free: wire i's zero-label is the evaluator's plus `input[i] * delta`, so the evaluator's label
 * for his own bit is the wire's label for the XOR of both.
 * @param zeroLabels of the evaluator's inputs, 16 bytes each
 */
export function joinInput(zeroLabels: Uint8Array, delta: Uint8Array, input: Uint8Array): Uint8Array {
  const joined = zeroLabels.slice();
  for (let wire = 0; wire < SEED_WIRES; wire++) {
    const mask = -bitAt(input, wire);
    for (let i = 0; i < LABEL_BYTES; i++) {
      const at = wire * LABEL_BYTES + i;
      joined[at] = joined[at]! ^ (delta[i]! & mask);
    }
  }
  return joined;
}
