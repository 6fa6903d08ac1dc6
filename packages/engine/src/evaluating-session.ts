import { SecretBytes, YaoError } from '@streaming-yao/core';
import { createEvaluator, type Engine } from './engine.ts';
import type { EvaluatorParty } from './garble/party.ts';
import { extendReceiver, unmaskMessages } from './ot/extension.ts';
import type { Random } from './ot/handshake.ts';
import type { EvaluatorTicket } from './ot/ticket.ts';
import { INPUT_PROJECTION, OUTPUT_PROJECTION } from './seed-wires.ts';
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
import { projectEvaluator } from './share/projection.ts';
import { CIRCUIT_IDS, PADS_BYTES } from './sizes.ts';

const CHECK_MASK_BYTES = 16;

/** What the evaluator's side of a session begins with. */
export interface EvaluatingSessionOptions {
  readonly kernel: Engine;
  /** Spent by this session. */
  readonly ticket: EvaluatorTicket;
  readonly context: SessionContext;
  /** 32 fresh bytes of the evaluator. */
  readonly evaluatorNonce: Uint8Array;
  /** The evaluator's share of the seed, 32 bytes; stays the caller's. */
  readonly input: SecretBytes;
  readonly random: Random;
}

/**
 * The evaluator's part of one two-party computation on `seed = garbler's input xor evaluator's input`: sends {@link choices},
 * takes the pads, then the tables, then gets his shares.
 */
export class EvaluatingSession {
  /** Keys of the frames in both directions, 32 bytes each; the garbler's nonce alone fixes them. */
  readonly frameKeys: { readonly toEvaluator: SecretBytes; readonly toGarbler: SecretBytes };
  /** Message to the garbler, `CHOICES_BYTES` bytes. */
  readonly choices: Uint8Array;
  readonly #engine: Engine;
  readonly #circuit: SessionContext['circuit'];
  readonly #opening: OpeningKeys;
  readonly #joint: JointKeys;
  readonly #rows: SecretBytes;
  readonly #input: SecretBytes;
  #labels: SecretBytes | undefined;
  #party: EvaluatorParty | undefined;

  private constructor(options: EvaluatingSessionOptions) {
    const { kernel, ticket, context, evaluatorNonce, input, random } = options;
    this.#engine = kernel;
    this.#circuit = context.circuit;
    const { secret, seeds } = ticket.spend();
    const keys = new SessionKeys(secret, ticket, CIRCUIT_IDS[context.circuit], context);
    this.#opening = keys.opening();
    const { toEvaluator, toGarbler } = this.#opening;
    this.frameKeys = { toEvaluator, toGarbler };
    const joint = keys.joint(evaluatorNonce);
    this.#joint = joint;
    this.#input = input.map((bits) => bits.slice());
    const mask = random(CHECK_MASK_BYTES);
    const { message, rows } = seeds.use((pairs) => input.use((bits) => extendReceiver(kernel, joint, pairs, bits, mask)));
    mask.fill(0);
    keys.wipe();
    seeds.wipe();
    this.choices = message;
    this.#rows = SecretBytes.own(rows);
  }

  /** @throws YaoError `ticket_spent` for a ticket used before, `invalid_length` for an input, id or nonce that has not 32 bytes */
  static open(options: EvaluatingSessionOptions): EvaluatingSession {
    expectOpening(options.context, options.input);
    expect32(options.evaluatorNonce, "the evaluator's nonce");
    return new EvaluatingSession(options);
  }

  /**
   * Opens the labels of the own input.
   * @param pads `PADS_BYTES` bytes
   * @throws YaoError `frame_invalid` for another length, or the second time
   */
  acceptPads(pads: Uint8Array): void {
    if (this.#party) throw new YaoError('frame_invalid', 'the pads of this session were accepted already');
    if (pads.length !== PADS_BYTES)
      throw new YaoError('frame_invalid', `the pads have ${pads.length} bytes, expected ${PADS_BYTES}`);
    const labels = this.#rows.use((rows) =>
      this.#input.use((bits) => unmaskMessages(this.#engine, this.#joint, rows, bits, pads)),
    );
    const inputLabels = SecretBytes.own(labels);
    this.#labels = inputLabels;
    this.#party = createEvaluator(this.#engine, { circuit: this.#circuit, gateKey: this.#opening.gate, inputLabels });
  }

  /**
   * Evaluates on.
   * @param chunk whole gates of 32 bytes
   * @throws YaoError `frame_invalid` before the pads, for part of a gate, or beyond the circuit's end
   */
  acceptTables(chunk: Uint8Array): void {
    if (!this.#party) throw new YaoError('frame_invalid', 'tables cannot be evaluated before the pads');
    this.#party.acceptTables(chunk);
  }

  /** Whether pads and every table have been accepted. */
  get complete(): boolean {
    return this.#party?.complete ?? false;
  }

  /**
   * The evaluator's additive share of the clamped scalar, 32 bytes little-endian below L.
   * @param ciphertexts `OUTPUT_CIPHERTEXT_BYTES` bytes
   * @throws YaoError `not_ready` before all tables, `frame_invalid` for bad ciphertexts, `circuit_mismatch` in an export
   */
  outputShare(ciphertexts: Uint8Array): SecretBytes {
    this.#expectCircuit('activation');
    if (!this.#party) throw new YaoError('not_ready', 'the pads and the tables have not been evaluated yet');
    const labels = this.#party.outputLabels();
    try {
      return this.#project(labels, ciphertexts, OUTPUT_PROJECTION);
    } finally {
      labels.wipe();
    }
  }

  /**
   * The evaluator's additive share of the seed, read as a little-endian number: 32 bytes little-endian below L.
   * @param ciphertexts `INPUT_CIPHERTEXT_BYTES` bytes
   * @throws YaoError `not_ready` before the pads, `frame_invalid` for bad ciphertexts
   */
  inputShare(ciphertexts: Uint8Array): SecretBytes {
    return this.#project(this.#seedLabels(), ciphertexts, INPUT_PROJECTION);
  }

  /**
   * The evaluator's XOR share of the seed, 32 bytes.
   * @throws YaoError `not_ready` before the pads, `circuit_mismatch` outside an export
   */
  inputColours(): SecretBytes {
    this.#expectCircuit('export');
    return colours(this.#seedLabels());
  }

  wipe(): void {
    this.#party?.wipe();
    this.#rows.wipe();
    this.#input.wipe();
    this.#labels?.wipe();
    wipeAll(this.#opening, this.#joint);
  }

  #seedLabels(): SecretBytes {
    if (!this.#labels) throw new YaoError('not_ready', 'the pads have not been accepted yet');
    return this.#labels;
  }

  #project(labels: SecretBytes, ciphertexts: Uint8Array, projection: typeof INPUT_PROJECTION): SecretBytes {
    return projectEvaluator(this.#engine, { ...projection, projectionKey: this.#joint.projection, labels, ciphertexts });
  }

  #expectCircuit(circuit: SessionContext['circuit']): void {
    if (this.#circuit !== circuit) throw new YaoError('circuit_mismatch', `a session of ${this.#circuit} has no such share`);
  }
}
