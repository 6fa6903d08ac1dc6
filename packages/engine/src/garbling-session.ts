import { SecretBytes, YaoError } from '@streaming-yao/core';
import { addFixedBit } from './clamp.ts';
import { createGarbler, type Engine } from './engine.ts';
import { type GarblerParty, LABEL_BYTES } from './garble/party.ts';
import { extendSender, maskMessages } from './ot/extension.ts';
import type { Random } from './ot/handshake.ts';
import type { GarblerKeys, GarblerTicket } from './ot/ticket.ts';
import { INPUT_PROJECTION, joinInput, OUTPUT_PROJECTION } from './seed-wires.ts';
import {
  expect32,
  expectOpening,
  type JointKeys,
  type OpeningKeys,
  type SessionContext,
  SessionKeys,
  wipeAll,
} from './session-keys.ts';
import { colours } from './share/colours.ts';
import type { GarblerProjection } from './share/options.ts';
import { projectGarbler } from './share/projection.ts';
import { CIRCUIT_IDS, SEED_WIRES } from './sizes.ts';

/** What the garbler's side of a session begins with. */
export interface GarblingSessionOptions {
  readonly kernel: Engine;
  /** Spent by this session. */
  readonly ticket: GarblerTicket;
  readonly context: SessionContext;
  /** The garbler's share of the seed, 32 bytes; stays the caller's. */
  readonly input: SecretBytes;
  readonly random: Random;
}

/** Labels of a session, drawn fresh: nothing of them outlives it. */
type Labels = {
  /** 16 bytes, lowest bit set. */
  readonly delta: SecretBytes;
  /** Zero-labels of the evaluator's 256 inputs: what oblivious transfer carries. */
  readonly inputs: SecretBytes;
  /** Zero-labels of the 256 seed wires: the garbler's input joined. */
  readonly seed: SecretBytes;
};

function drawLabels(random: Random, input: SecretBytes): Labels {
  const delta = random(LABEL_BYTES);
  delta[0] = delta[0]! | 1;
  const inputs = random(SEED_WIRES * LABEL_BYTES);
  const seed = input.use((bits) => joinInput(inputs, delta, bits));
  return { delta: SecretBytes.own(delta), inputs: SecretBytes.own(inputs), seed: SecretBytes.own(seed) };
}

/**
 * The garbler's part of one two-party computation on `seed = garbler's input xor evaluator's input`:
 * {@link nextTables} until it gives 0, {@link acceptChoices} whenever the choices arrive, then the shares.
 */
export class GarblingSession {
  /** Keys of the frames in both directions, 32 bytes each; the garbler's nonce alone fixes them. */
  readonly frameKeys: { readonly toEvaluator: SecretBytes; readonly toGarbler: SecretBytes };
  readonly #engine: Engine;
  readonly #circuit: SessionContext['circuit'];
  readonly #ticketKeys: GarblerKeys;
  readonly #keys: SessionKeys;
  readonly #opening: OpeningKeys;
  readonly #labels: Labels;
  readonly #party: GarblerParty;
  #joint: JointKeys | undefined;

  private constructor(options: GarblingSessionOptions) {
    const { kernel, ticket, context, input, random } = options;
    this.#engine = kernel;
    this.#circuit = context.circuit;
    this.#ticketKeys = ticket.spend();
    this.#keys = new SessionKeys(this.#ticketKeys.secret, ticket, CIRCUIT_IDS[context.circuit], context);
    this.#opening = this.#keys.opening();
    const { toEvaluator, toGarbler } = this.#opening;
    this.frameKeys = { toEvaluator, toGarbler };
    this.#labels = drawLabels(random, input);
    const { delta, seed } = this.#labels;
    this.#party = createGarbler(kernel, { circuit: context.circuit, gateKey: this.#opening.gate, delta, inputZeroLabels: seed });
  }

  /** @throws YaoError `ticket_spent` for a ticket used before, `invalid_length` for an input, id or nonce that has not 32 bytes */
  static open(options: GarblingSessionOptions): GarblingSession {
    expectOpening(options.context, options.input);
    return new GarblingSession(options);
  }

  /**
   * Garbles on.
   * @param into receives as many whole gates of 32 bytes as fit
   * @returns bytes written; 0 when the circuit is complete
   * @throws YaoError `invalid_length` for a buffer shorter than one gate
   */
  nextTables(into: Uint8Array): number {
    return this.#party.nextTables(into);
  }

  /**
   * Checks the evaluator's choices and answers them.
   * @param evaluatorNonce 32 bytes
   * @param message `CHOICES_BYTES` bytes
   * @returns `PADS_BYTES` bytes: both labels of each wire, of which the evaluator can open one
   * @throws YaoError `ot_check_failed`, after which the session is wiped and the pairing must be destroyed; `frame_invalid` for a
   * second message, `invalid_length` for another nonce
   */
  acceptChoices(evaluatorNonce: Uint8Array, message: Uint8Array): Uint8Array {
    expect32(evaluatorNonce, "the evaluator's nonce");
    if (this.#joint) throw new YaoError('frame_invalid', 'the choices of this session were accepted already');
    const joint = this.#keys.joint(evaluatorNonce);
    this.#joint = joint;
    try {
      return this.#transfer(joint, message);
    } catch (error) {
      this.wipe();
      throw error;
    } finally {
      this.#keys.wipe();
      wipeAll(this.#ticketKeys);
    }
  }

  #transfer(joint: JointKeys, message: Uint8Array): Uint8Array {
    const { seeds, choices } = this.#ticketKeys;
    const { delta, inputs } = this.#labels;
    return choices.use((secret) => {
      const rows = seeds.use((chosen) => extendSender(this.#engine, joint, chosen, secret, message, SEED_WIRES));
      const pads = inputs.use((zero) =>
        delta.use((difference) => maskMessages(this.#engine, joint, rows, secret, zero, difference)),
      );
      rows.fill(0);
      return pads;
    });
  }

  /**
   * The garbler's additive share of the clamped scalar, and what gives the evaluator his.
   * @returns `OUTPUT_CIPHERTEXT_BYTES` bytes, and 32 bytes little-endian below L
   * @throws YaoError `not_ready` before all tables and the choices, `circuit_mismatch` in an export
   */
  projectOutputs(): GarblerProjection {
    this.#expectCircuit('activation');
    const labels = this.#party.outputZeroLabels();
    try {
      const { ciphertexts, share } = this.#project(labels, OUTPUT_PROJECTION);
      const whole = addFixedBit(share);
      share.wipe();
      return { ciphertexts, share: whole };
    } finally {
      labels.wipe();
    }
  }

  /**
   * The garbler's additive share of the seed, read as a little-endian number, and what gives the evaluator his.
   * @returns `INPUT_CIPHERTEXT_BYTES` bytes, and 32 bytes little-endian below L
   * @throws YaoError `not_ready` before the choices
   */
  projectInputs(): GarblerProjection {
    return this.#project(this.#labels.seed, INPUT_PROJECTION);
  }

  /**
   * The garbler's XOR share of the seed, 32 bytes.
   * @throws YaoError `circuit_mismatch` outside an export
   */
  inputColours(): SecretBytes {
    this.#expectCircuit('export');
    return colours(this.#labels.seed);
  }

  wipe(): void {
    this.#party.wipe();
    this.#keys.wipe();
    wipeAll(this.#ticketKeys, this.#labels, this.#opening, this.#joint);
  }

  #project(zeroLabels: SecretBytes, projection: typeof INPUT_PROJECTION): GarblerProjection {
    if (!this.#joint) throw new YaoError('not_ready', 'the evaluator has not sent his choices yet');
    const { delta } = this.#labels;
    return projectGarbler(this.#engine, { ...projection, projectionKey: this.#joint.projection, delta, zeroLabels });
  }

  #expectCircuit(circuit: SessionContext['circuit']): void {
    if (this.#circuit !== circuit) throw new YaoError('circuit_mismatch', `a session of ${this.#circuit} has no such share`);
  }
}
