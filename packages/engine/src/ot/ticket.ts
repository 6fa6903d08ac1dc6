import type { SecretBytes } from '@streaming-yao/core';
import { YaoError } from '@streaming-yao/core';

/** Bytes of one column seed of a ticket. */
export const SEED_BYTES = 16;

/** Key material of one ticket; who takes it wipes it. */
export type TicketKeys = {
  /** 32 bytes known to both sides. */
  readonly secret: SecretBytes;
  /** Garbler: the 128 chosen seeds. Evaluator: 128 pairs of seeds. 16 bytes each. */
  readonly seeds: SecretBytes;
};

export type GarblerKeys = TicketKeys & {
  /** The 128 base-OT choice bits, 16 bytes: the extension's secret. */
  readonly choices: SecretBytes;
};

class Ticket<Keys extends TicketKeys> {
  readonly pairingId: Uint8Array;
  readonly counter: number;
  #keys: Keys | undefined;

  constructor(pairingId: Uint8Array, counter: number, keys: Keys) {
    this.pairingId = pairingId;
    this.counter = counter;
    this.#keys = keys;
  }

  /** Hands out the keys, once. @throws YaoError `ticket_spent` the second time, or after {@link wipe} */
  spend(): Keys {
    const keys = this.#keys;
    if (!keys) throw new YaoError('ticket_spent', `ticket ${this.counter} has been used; take another from the pairing`);
    this.#keys = undefined;
    return keys;
  }

  wipe(): void {
    for (const secret of Object.values<SecretBytes>({ ...this.#keys })) secret.wipe();
    this.#keys = undefined;
  }
}

/** The garbler's licence for one extension of a pairing. */
export class GarblerTicket extends Ticket<GarblerKeys> {
  readonly role = 'garbler';
}

/** The evaluator's licence for one extension of a pairing. */
export class EvaluatorTicket extends Ticket<TicketKeys> {
  readonly role = 'evaluator';
}
