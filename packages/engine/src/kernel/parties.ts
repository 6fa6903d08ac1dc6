import { SecretBytes, YaoError } from '@streaming-yao/core';
import { CIRCUITS, FREE_BITS } from '../circuit/ceremony-circuits.ts';
import { checkTables } from '../garble/netlist.ts';
import {
  type EvaluatorOptions,
  type EvaluatorParty,
  GATE_BYTES,
  type GarblerOptions,
  type GarblerParty,
  KEY_BYTES,
  LABEL_BYTES,
} from '../garble/party.ts';
import type { KernelInstance, KernelInstances } from './instance.ts';

const { inputs, tableBytes } = CIRCUITS.activation;

/** The part that both parties of the activation circuit have in common: an instance that is lent and given back. */
class Lent {
  readonly #instances: KernelInstances;
  #instance: KernelInstance | undefined;
  /** Bytes of tables that are still to come. */
  left: number = tableBytes;

  constructor(instances: KernelInstances, gateKey: SecretBytes, inputLabels: SecretBytes, delta?: SecretBytes) {
    this.#instances = instances;
    const instance = instances.take();
    try {
      gateKey.use((bytes) => instance.view('key', KEY_BYTES).set(bytes));
      inputLabels.use((bytes) => instance.view('labels', LABEL_BYTES * inputs).set(bytes));
      delta?.use((bytes) => instance.view('delta', LABEL_BYTES).set(bytes));
    } catch (error) {
      instances.giveBack(instance);
      throw error;
    }
    instance.calls.begin();
    this.#instance = instance;
  }

  get instance(): KernelInstance {
    if (!this.#instance) throw new YaoError('secret_wiped', 'this party was wiped; one ceremony needs one party');
    return this.#instance;
  }

  outputs(): SecretBytes {
    const { instance } = this;
    if (this.left > 0) throw new YaoError('not_ready', 'the circuit has tables left; pull or push them all first');
    instance.calls.finish();
    const length = LABEL_BYTES * (FREE_BITS.end - FREE_BITS.first);
    return SecretBytes.copy(instance.view('labels', length, LABEL_BYTES * FREE_BITS.first));
  }

  wipe(): void {
    if (this.#instance) this.#instances.giveBack(this.#instance);
    this.#instance = undefined;
  }
}

/** Garbles the activation circuit. */
export class KernelGarbler implements GarblerParty {
  readonly #lent: Lent;
  /** Bytes at the front of the instance's buffer that were handed out already. */
  #taken = 0;

  constructor(instances: KernelInstances, options: GarblerOptions) {
    this.#lent = new Lent(instances, options.gateKey, options.inputZeroLabels, options.delta);
  }

  nextTables(into: Uint8Array): number {
    const { instance } = this.#lent;
    if (into.length < GATE_BYTES) throw new YaoError('invalid_length', 'the buffer is shorter than the table of one gate');
    const whole = into.length - (into.length % GATE_BYTES);
    let written = 0;
    while (written < whole && this.#lent.left > 0) {
      const wanted = Math.min(whole - written, instance.calls.TABLES_LENGTH.value, this.#lent.left);
      instance.calls.garble(this.#taken, wanted);
      into.set(instance.view('tables', wanted), written);
      this.#taken = wanted;
      this.#lent.left -= wanted;
      written += wanted;
    }
    if (this.#lent.left === 0 && this.#taken > 0) {
      // Works off what follows the last AND gate.
      instance.calls.garble(this.#taken, GATE_BYTES);
      this.#taken = 0;
    }
    return written;
  }

  outputZeroLabels(): SecretBytes {
    return this.#lent.outputs();
  }

  wipe(): void {
    this.#lent.wipe();
  }
}

/** Evaluates the activation circuit. */
export class KernelEvaluator implements EvaluatorParty {
  readonly #lent: Lent;
  /** Bytes at the front of the instance's buffer that wait for the rest of their column. */
  #waiting = 0;

  constructor(instances: KernelInstances, options: EvaluatorOptions) {
    this.#lent = new Lent(instances, options.gateKey, options.inputLabels);
  }

  acceptTables(chunk: Uint8Array): void {
    const { instance } = this.#lent;
    checkTables(chunk, this.#lent.left);
    const most = instance.calls.TABLES_LENGTH.value;
    for (let start = 0; start < chunk.length; start += most) {
      const part = chunk.subarray(start, start + most);
      instance.view('tables', part.length, this.#waiting).set(part);
      this.#waiting = instance.calls.evaluate(part.length);
      this.#lent.left -= part.length;
    }
  }

  get complete(): boolean {
    return this.#lent.instance !== undefined && this.#lent.left === 0;
  }

  outputLabels(): SecretBytes {
    return this.#lent.outputs();
  }

  wipe(): void {
    this.#lent.wipe();
  }
}
