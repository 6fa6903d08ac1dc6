import type { SecretBytes } from '@streaming-yao/core';
import type { CircuitName } from '../circuit/ceremony-circuits.ts';

/** Bytes of one wire label. Its colour is bit 0 of byte 0. */
export const LABEL_BYTES = 16;
/** Bytes of one AND gate's table: the generator's half, then the evaluator's half (Zahur, Rosulek, Evans 2015). */
export const GATE_BYTES = 32;
export const KEY_BYTES = 32;

/** Who garbles. One use: wiped after its outputs are taken. */
export interface GarblerParty {
  /**
   * Writes the next tables of the circuit, in gate order, as many whole gates as fit.
   * @param into at least one gate (32 bytes) long
   * @returns bytes written; 0 when the circuit is complete
   * @throws YaoError `invalid_length` for a buffer shorter than one gate, `secret_wiped` after {@link wipe}
   */
  nextTables(into: Uint8Array): number;
  /**
   * Zero-labels of the outputs, 16 bytes each.
   * @throws YaoError `not_ready` before the last table, `secret_wiped` after {@link wipe}
   */
  outputZeroLabels(): SecretBytes;
  wipe(): void;
}

/** Who evaluates. One use: wiped after its outputs are taken. */
export interface EvaluatorParty {
  /**
   * Evaluates the next whole gates.
   * @throws YaoError `frame_invalid` when `chunk` is no multiple of 32 bytes or longer than what the circuit still needs,
   * `secret_wiped` after {@link wipe}
   */
  acceptTables(chunk: Uint8Array): void;
  /** Whether every table has been accepted. */
  readonly complete: boolean;
  /**
   * Active labels of the outputs, 16 bytes each.
   * @throws YaoError `not_ready` before the last table, `secret_wiped` after {@link wipe}
   */
  outputLabels(): SecretBytes;
  wipe(): void;
}

/** What a garbling begins with. */
export interface GarblerOptions<C = CircuitName> {
  readonly circuit: C;
  /** Key of the gate hash, 32 bytes, of this ceremony alone. */
  readonly gateKey: SecretBytes;
  /** The global difference of free XOR, 16 bytes, bit 0 of byte 0 set. */
  readonly delta: SecretBytes;
  /** Zero-labels of the inputs, 16 bytes each. */
  readonly inputZeroLabels: SecretBytes;
}

/** What an evaluation begins with. */
export interface EvaluatorOptions<C = CircuitName> {
  readonly circuit: C;
  /** Key of the gate hash, 32 bytes, of this ceremony alone. */
  readonly gateKey: SecretBytes;
  /** Active labels of the inputs, 16 bytes each. */
  readonly inputLabels: SecretBytes;
}
