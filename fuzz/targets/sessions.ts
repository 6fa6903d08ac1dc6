import { SecretBytes, utf8, YaoError } from '@streaming-yao/core';
import {
  answerPairing,
  EvaluatingSession,
  EvaluatorPairing,
  finishPairing,
  GarblerPairing,
  GarblingSession,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  startPairing,
} from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { Chance } from '../chance.ts';
import { expectSame, Finding, typed } from '../finding.ts';
import type { Target } from '../target.ts';

const CONTEXT = utf8('fuzz');

interface Paired {
  readonly message: Uint8Array;
  readonly reply: Uint8Array;
  readonly pending: Uint8Array;
  readonly garbler: Uint8Array;
  readonly evaluator: Uint8Array;
}

const copyOf = (secret: SecretBytes): Uint8Array => secret.use((bytes) => bytes.slice());

let once: Paired | undefined;

/** Base OTs take most of a second. */
function paired(): Paired {
  if (once) return once;
  const [group, chance] = [loadGroup(), new Chance(1)];
  const random = (length: number): Uint8Array => chance.bytes(length);
  const { pending, message } = startPairing(group, random, CONTEXT);
  const kept = copyOf(pending);
  const { pairing, reply } = answerPairing(group, random, CONTEXT, message);
  const garbler = copyOf(finishPairing(group, pending, CONTEXT, reply).export());
  once = { message, reply, pending: kept, garbler, evaluator: copyOf(pairing.export()) };
  return once;
}

export const pairingTarget: Target = {
  name: 'pairing',
  about: 'the exchange that pairs the Derivers, and pairings as they are stored',
  maxBytes: 16 * 1024,
  batch: 32,
  allocatedBytes: 16 * 1024 * 1024,
  seeds: () => {
    const { message, reply, garbler, evaluator } = paired();
    return [message, reply, garbler, evaluator].map((bytes, i) => Uint8Array.of(i, ...bytes));
  },
  run: (input) => {
    const came = input.subarray(1);
    const group = loadGroup();
    const chance = new Chance(2);
    switch ((input[0] ?? 0) % 4) {
      case 0:
        return void typed(() => answerPairing(group, (length) => chance.bytes(length), CONTEXT, came));
      case 1:
        return void typed(() => finishPairing(group, SecretBytes.copy(paired().pending), CONTEXT, came));
      default: {
        const Side = (input[0] ?? 0) % 4 === 2 ? GarblerPairing : EvaluatorPairing;
        const stored = typed(() => Side.import(SecretBytes.copy(came)).export());
        if (stored) expectSame(came, copyOf(stored), 'a stored pairing');
      }
    }
  },
};

/** Both ends of one session, and what each has sent so far. */
class Play {
  readonly garbling: GarblingSession;
  readonly evaluating: EvaluatingSession;
  readonly #nonce = new Uint8Array(32).fill(5);
  #pads: Uint8Array | undefined;

  constructor(circuit: 'activation' | 'export') {
    const { garbler, evaluator } = paired();
    const chance = new Chance(3);
    const random = (length: number): Uint8Array => chance.bytes(length);
    const context = { ceremonyId: random(32), circuit, profile: 'fuzz', garblerNonce: random(32) };
    const common = { kernel: loadKernel(), context, random, evaluatorNonce: this.#nonce };
    const input = (): SecretBytes => SecretBytes.own(random(32));
    this.garbling = GarblingSession.open({
      ...{ ...common, input: input() },
      ticket: GarblerPairing.import(SecretBytes.copy(garbler)).takeTicket(0),
    });
    this.evaluating = EvaluatingSession.open({
      ...{ ...common, input: input() },
      ticket: EvaluatorPairing.import(SecretBytes.copy(evaluator)).takeTicket(0),
    });
  }

  /** Steps, in or out of order, with the honest message or a damaged one. Each throws YaoErrors as the sessions do. */
  readonly steps: readonly ((damage: Damage) => unknown)[] = [
    (damage) => this.#choices(damage),
    (damage) => this.evaluating.acceptPads(damage(this.#pads ?? new Uint8Array(8192))),
    (damage) => this.#tables(damage),
    (damage) => this.evaluating.acceptTables(damage(new Uint8Array(320))),
    (damage) => this.evaluating.outputShare(damage(this.garbling.projectOutputs().ciphertexts)),
    (damage) => this.evaluating.inputShare(damage(this.garbling.projectInputs().ciphertexts)),
    (damage) => this.evaluating.outputShare(damage(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES).fill(0xff))),
    (damage) => this.evaluating.inputShare(damage(new Uint8Array(INPUT_CIPHERTEXT_BYTES))),
    () => [this.garbling.inputColours(), this.evaluating.inputColours()],
    (damage) => (damage === intact ? this.garbling.wipe() : this.evaluating.wipe()),
  ];

  #choices(damage: Damage): void {
    const sent = this.evaluating.choices;
    const arrived = damage(sent);
    this.#pads = this.garbling.acceptChoices(this.#nonce, arrived);
    if (Buffer.compare(sent, arrived) !== 0)
      throw new Finding('canonical', 'choices that were changed on their way are accepted');
  }

  #tables(damage: Damage): void {
    const frame = new Uint8Array(65_472);
    for (let length = this.garbling.nextTables(frame); length > 0; length = this.garbling.nextTables(frame)) {
      this.evaluating.acceptTables(damage(frame.slice(0, length)));
    }
  }
}

type Damage = (message: Uint8Array) => Uint8Array;
const intact: Damage = (message) => message;

/** @param how and the two bytes behind it come from the fuzzer */
function damageOf(how: number, high: number, low: number): Damage {
  const at = high * 256 + low;
  switch (how % 6) {
    case 1:
      return (message) => message.map((byte, i) => (i === at % message.length ? byte ^ (1 << (low & 7)) : byte));
    case 2:
      return (message) => message.slice(0, at % (message.length + 1));
    case 3:
      return (message) => Uint8Array.of(...message, ...new Uint8Array(at % 4096));
    case 4:
      return (message) => new Uint8Array(message.length).fill(low);
    default:
      return intact;
  }
}

/** How many bytes name one step. */
const STEP_BYTES = 4;

export const sessionsTarget: Target = {
  name: 'sessions',
  about: 'garbling and evaluating sessions: messages damaged, repeated and out of order at every state',
  maxBytes: 1 + 12 * STEP_BYTES,
  batch: 16,
  allocatedBytes: 64 * 1024 * 1024,
  seeds: () => {
    const inOrder = [0, 1, 2, 4, 5, 8].flatMap((kind) => [kind, 0, 0, 0]);
    const export_ = [0, 1, 5, 8].flatMap((kind) => [kind, 0, 0, 0]);
    return [Uint8Array.of(0, ...inOrder), Uint8Array.of(1, ...export_)];
  },
  run: (input) => {
    const play = new Play((input[0] ?? 0) % 2 === 0 ? 'activation' : 'export');
    for (let at = 1; at + STEP_BYTES <= input.length; at += STEP_BYTES) {
      const [kind = 0, how = 0, high = 0, low = 0] = input.subarray(at, at + STEP_BYTES);
      typed(() => play.steps[kind % play.steps.length]?.(damageOf(how, high, low)));
    }
    play.garbling.wipe();
    play.evaluating.wipe();
    const afterwards = typed(() => play.evaluating.choices && play.garbling.nextTables(new Uint8Array(32)));
    if (afterwards !== undefined) throw new YaoError('internal', 'a session that was wiped goes on');
  },
};
