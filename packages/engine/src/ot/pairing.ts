import { Reader, SecretBytes, Writer, YaoError } from '@streaming-yao/core';
import { BASE_OTS } from './base.ts';
import { Ratchet } from './ratchet.ts';
import { EvaluatorTicket, GarblerTicket } from './ticket.ts';

const FORMAT_VERSION = 1;
const GARBLER = 0x41;
const EVALUATOR = 0x42;
const ID_BYTES = 32;
const CHOICE_BYTES = BASE_OTS / 8;

function begin(role: number, id: Uint8Array): Writer {
  const writer = new Writer();
  writer.uint(FORMAT_VERSION, 1);
  writer.uint(role, 1);
  writer.raw(id);
  return writer;
}

/** Reads a stored pairing of `role` with `read`; whatever is wrong with it becomes `pairing_invalid`. */
function decode<T>(bytes: SecretBytes, role: number, read: (reader: Reader, id: Uint8Array) => T): T {
  return bytes.use((stored) => {
    try {
      const reader = new Reader(stored);
      if (reader.uint(1) !== FORMAT_VERSION || reader.uint(1) !== role) {
        throw new YaoError('pairing_invalid', 'not a stored pairing of this role and format; start a new pairing');
      }
      const value = read(reader, reader.raw(ID_BYTES).slice());
      reader.end();
      return value;
    } catch (error) {
      if (error instanceof YaoError && error.code === 'pairing_invalid') throw error;
      throw new YaoError('pairing_invalid', 'the stored pairing is damaged; start a new pairing');
    }
  });
}

/** Garbler's side of a pairing: 128 chosen base keys and the choice bits, ratcheted with every ticket. */
export class GarblerPairing {
  /** 32 bytes, equal on both sides: digest of context and both messages. */
  readonly id: Uint8Array;
  readonly #ratchet: Ratchet;
  readonly #choices: Uint8Array;

  /** Takes over `choices`, 16 bytes. */
  constructor(id: Uint8Array, ratchet: Ratchet, choices: Uint8Array) {
    this.id = id;
    this.#ratchet = ratchet;
    this.#choices = choices;
  }

  /** The lowest counter never taken. */
  get nextCounter(): number {
    return this.#ratchet.next;
  }

  /**
   * Takes the ticket and forgets what it was made from; store {@link export} before the ticket is used.
   * @throws YaoError `ticket_spent` when it was taken before or lies outside the window of 16 around {@link nextCounter}
   */
  takeTicket(counter: number): GarblerTicket {
    const keys = this.#ratchet.take(counter);
    return new GarblerTicket(this.id, counter, { ...keys, choices: SecretBytes.copy(this.#choices) });
  }

  /** The durable form; seal it at rest. */
  export(): SecretBytes {
    const writer = begin(GARBLER, this.id);
    writer.raw(this.#choices);
    this.#ratchet.write(writer);
    return SecretBytes.own(writer.finish());
  }

  /** @throws YaoError `pairing_invalid` when `bytes` is not a whole garbler's pairing */
  static import(bytes: SecretBytes): GarblerPairing {
    return decode(bytes, GARBLER, (reader, id) => {
      const choices = reader.raw(CHOICE_BYTES).slice();
      return new GarblerPairing(id, Ratchet.read(reader, BASE_OTS), choices);
    });
  }

  wipe(): void {
    this.#ratchet.wipe();
    this.#choices.fill(0);
  }
}

/** Evaluator's side of a pairing: both keys of the 128 base OTs, ratcheted with every ticket. */
export class EvaluatorPairing {
  /** 32 bytes, equal on both sides: digest of context and both messages. */
  readonly id: Uint8Array;
  readonly #ratchet: Ratchet;

  constructor(id: Uint8Array, ratchet: Ratchet) {
    this.id = id;
    this.#ratchet = ratchet;
  }

  /** The lowest counter never taken. */
  get nextCounter(): number {
    return this.#ratchet.next;
  }

  /**
   * Takes the ticket and forgets what it was made from; store {@link export} before the ticket is used.
   * @throws YaoError `ticket_spent` when it was taken before or lies outside the window of 16 around {@link nextCounter}
   */
  takeTicket(counter: number): EvaluatorTicket {
    return new EvaluatorTicket(this.id, counter, this.#ratchet.take(counter));
  }

  /** The durable form; seal it at rest. */
  export(): SecretBytes {
    const writer = begin(EVALUATOR, this.id);
    this.#ratchet.write(writer);
    return SecretBytes.own(writer.finish());
  }

  /** @throws YaoError `pairing_invalid` when `bytes` is not a whole evaluator's pairing */
  static import(bytes: SecretBytes): EvaluatorPairing {
    return decode(bytes, EVALUATOR, (reader, id) => new EvaluatorPairing(id, Ratchet.read(reader, 2 * BASE_OTS)));
  }

  wipe(): void {
    this.#ratchet.wipe();
  }
}
