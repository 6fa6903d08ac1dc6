import { CIRCUITS, type CircuitName, FREE_BITS } from './circuit/ceremony-circuits.ts';
import { LABEL_BYTES } from './garble/party.ts';
import { extensionBytes } from './ot/extension.ts';
import { SCALAR_BYTES } from './share/modulus.ts';

/** Bits of a seed, one wire each. */
export const SEED_WIRES = 256;

/** Bytes of the evaluator's choices: the OT extension's matrix and check. */
export const CHOICES_BYTES = extensionBytes(SEED_WIRES);
/** Bytes of the garbler's pads: both labels of each seed wire, masked. */
export const PADS_BYTES = SEED_WIRES * 2 * LABEL_BYTES;
/** Bytes that turn the free bits of the scalar into shares. */
export const OUTPUT_CIPHERTEXT_BYTES = (FREE_BITS.end - FREE_BITS.first) * SCALAR_BYTES;
/** Bytes that turn the seed into shares. */
export const INPUT_CIPHERTEXT_BYTES = SEED_WIRES * SCALAR_BYTES;

/** SHA-256 of each circuit's canonical encoding, 32 bytes. */
export const CIRCUIT_IDS: Readonly<Record<CircuitName, Uint8Array>> = {
  activation: CIRCUITS.activation.id,
  export: CIRCUITS.export.id,
};

/** Bytes of each circuit's tables. */
export const TABLE_BYTES: Readonly<Record<CircuitName, number>> = {
  activation: CIRCUITS.activation.tableBytes,
  export: CIRCUITS.export.tableBytes,
};
