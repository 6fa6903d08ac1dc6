import { type SecretBytes, YaoError } from '@streaming-yao/core';
import type { CircuitName } from './circuit/ceremony-circuits.ts';
import { deriveSecret, type Field } from './ot/derivation.ts';
import type { ExtensionKeys } from './ot/extension.ts';

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
export type OpeningKeys = {
  readonly gate: SecretBytes;
  readonly toEvaluator: SecretBytes;
  readonly toGarbler: SecretBytes;
};

/** Keys that both nonces fix. */
export type JointKeys = ExtensionKeys & { readonly projection: SecretBytes };

/** Key derivation of one session: each key from the ticket's secret and the whole context, under its purpose and direction. */
export class SessionKeys {
  readonly #secret: SecretBytes;
  readonly #fields: readonly Field[];

  /** Takes over `secret`. */
  constructor(
    secret: SecretBytes,
    ticket: { pairingId: Uint8Array; counter: number },
    circuitId: Uint8Array,
    context: SessionContext,
  ) {
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

  joint(evaluatorNonce: Uint8Array): JointKeys {
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

/** @throws YaoError `invalid_length` unless `bytes` is 32 bytes */
export function expect32(bytes: { readonly length: number }, what: string): void {
  if (bytes.length !== 32) throw new YaoError('invalid_length', `${what} has ${bytes.length} bytes, expected 32`);
}

/** @throws YaoError `invalid_length` when the input, the ceremony id or the nonce has not 32 bytes */
export function expectOpening(context: SessionContext, input: SecretBytes): void {
  expect32(input, 'the input');
  expect32(context.ceremonyId, 'the ceremony id');
  expect32(context.garblerNonce, "the garbler's nonce");
}

/** Wipes every secret of the groups given. */
export function wipeAll(...groups: readonly ({ readonly [name: string]: SecretBytes } | undefined)[]): void {
  for (const group of groups) for (const secret of Object.values(group ?? {})) secret.wipe();
}
