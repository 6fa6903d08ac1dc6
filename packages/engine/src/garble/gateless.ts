import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { checkTables } from './netlist.ts';
import { type EvaluatorParty, GATE_BYTES, type GarblerParty } from './party.ts';

/** Either party of a circuit that hands its inputs straight to its outputs. */
export class GatelessParty implements GarblerParty, EvaluatorParty {
  readonly #labels: SecretBytes;

  constructor(inputs: SecretBytes) {
    this.#labels = inputs.map((bytes) => bytes.slice());
  }

  nextTables(into: Uint8Array): number {
    this.#alive();
    if (into.length < GATE_BYTES) throw new YaoError('invalid_length', 'the buffer is shorter than the table of one gate');
    return 0;
  }

  acceptTables(chunk: Uint8Array): void {
    this.#alive();
    checkTables(chunk, 0);
  }

  get complete(): boolean {
    this.#alive();
    return true;
  }

  outputZeroLabels(): SecretBytes {
    return this.#labels.map((bytes) => bytes.slice());
  }

  outputLabels(): SecretBytes {
    return this.outputZeroLabels();
  }

  wipe(): void {
    this.#labels.wipe();
  }

  #alive(): void {
    if (this.#labels.wiped) throw new YaoError('secret_wiped', 'this party was wiped; one ceremony needs one party');
  }
}
