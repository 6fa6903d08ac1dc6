import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { deriveSecret, type Field } from './ot/derivation.ts';
import type { ExtensionKeys } from './ot/extension.ts';

/** The two circuits of the protocol: SHA-512 of the seed to shares of the scalar, and the seed itself to shares. */
export type CircuitName = 'activation' | 'export';

/** What both parties of a session agree on before it starts. */
export interface SessionContext {
  /** 32 bytes. */
  readonly ceremonyId: Uint8Array;
  readonly circuit: CircuitName;
  readonly profile: string;
  /** 32 fresh bytes of the garbler. */
  readonly garblerNonce: Uint8Array;
}

/** Keys that the garbler's nonce alone fixes: tables and frames may leave before the evaluator has answered. */
export interface OpeningKeys {
  readonly gate: SecretBytes;
  readonly toEvaluator: SecretBytes;
  readonly toGarbler: SecretBytes;
}

/** Keys that both nonces fix. */
export interface JointKeys extends ExtensionKeys {
  readonly projection: SecretBytes;
}

/** Key derivation of one session: each key from the ticket's secret and the whole context, under its purpose and direction. */
export class SessionKeys {
  readonly #secret: SecretBytes;
  readonly #fields: readonly Field[];

  /**
   * Takes over `secret`.
   * @throws YaoError `invalid_length` when the ceremony id or the nonce has not 32 bytes
   */
  constructor(
    secret: SecretBytes,
    ticket: { pairingId: Uint8Array; counter: number },
    circuitId: Uint8Array,
    context: SessionContext,
  ) {
    expect32(context.ceremonyId, 'the ceremony id');
    expect32(context.garblerNonce, "the garbler's nonce");
    this.#secret = secret;
    this.#fields = [
      ticket.pairingId,
      ticket.counter,
      context.ceremonyId.slice(),
      circuitId,
      context.profile,
      context.garblerNonce.slice(),
    ];
  }

  opening(): OpeningKeys {
    return {
      gate: this.#derive('gate', 'both'),
      toEvaluator: this.#derive('frame', 'garbler to evaluator'),
      toGarbler: this.#derive('frame', 'evaluator to garbler'),
    };
  }

  /** @throws YaoError `invalid_length` when the nonce has not 32 bytes */
  joint(evaluatorNonce: Uint8Array): JointKeys {
    expect32(evaluatorNonce, "the evaluator's nonce");
    return {
      projection: this.#derive('projection', 'garbler to evaluator', evaluatorNonce),
      columns: this.#derive('ot columns', 'evaluator to garbler', evaluatorNonce),
      coefficients: this.#derive('ot check coefficients', 'evaluator to garbler', evaluatorNonce),
      proof: this.#derive('ot check proof', 'evaluator to garbler', evaluatorNonce),
      pads: this.#derive('ot pads', 'garbler to evaluator', evaluatorNonce),
    };
  }

  #derive(purpose: string, direction: string, ...nonces: readonly Uint8Array[]): SecretBytes {
    return deriveSecret(this.#secret, 32, 'session key', purpose, direction, ...this.#fields, ...nonces);
  }

  wipe(): void {
    this.#secret.wipe();
  }
}

function expect32(bytes: Uint8Array, what: string): void {
  if (bytes.length !== 32) throw new YaoError('invalid_length', `${what} has ${bytes.length} bytes, expected 32`);
}
