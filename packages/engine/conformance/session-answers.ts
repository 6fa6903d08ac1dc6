import { blake3 } from '@noble/hashes/blake3.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { SecretBytes, toHex, utf8 } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import {
  answerPairing,
  type CircuitName,
  type Engine,
  EvaluatingSession,
  EvaluatorPairing,
  finishPairing,
  GarblerPairing,
  GarblingSession,
  type Random,
  startPairing,
} from '../src/index.ts';

/** What a fixed random tape must give: hexadecimal by name, long values as SHA-256. */
export type Answers = Readonly<Record<string, string>>;

const FRAME_BYTES = 65_472;
const CONTEXT = utf8('conformance: deployment, profile, keys');

/** The random source of all known answers: the BLAKE3 output stream of a name. */
export function tape(name: string): Random {
  const stream = blake3.create({}).update(utf8(name));
  return (length) => stream.xof(length);
}

const hex = (secret: SecretBytes): string => secret.use((bytes) => toHex(bytes));
const digest = (bytes: Uint8Array): string => toHex(sha256(bytes));
const secretDigest = (secret: SecretBytes): string => secret.use(digest);

export interface Pairings {
  readonly garbler: GarblerPairing;
  readonly evaluator: EvaluatorPairing;
  readonly answers: Answers;
}

/** One pairing from the tapes `pairing a` and `pairing b`. */
export function pair(group: Group): Pairings {
  const { pending, message } = startPairing(group, tape('pairing a'), CONTEXT);
  const pendingHex = hex(pending);
  const { pairing: evaluator, reply } = answerPairing(group, tape('pairing b'), CONTEXT, message);
  const garbler = finishPairing(group, pending, CONTEXT, reply);
  return {
    garbler,
    evaluator,
    answers: {
      pending: pendingHex,
      message: digest(message),
      reply: toHex(reply),
      id: toHex(garbler.id),
      garbler: secretDigest(garbler.export()),
      evaluator: secretDigest(evaluator.export()),
    },
  };
}

/** Two sessions in a row leave these stored forms, with ticket 1 skipped by the evaluator. */
export function ratchetAnswers({ garbler, evaluator }: Pairings): Answers {
  garbler.takeTicket(0);
  evaluator.takeTicket(0);
  evaluator.takeTicket(2);
  return { garbler: secretDigest(garbler.export()), evaluator: secretDigest(evaluator.export()) };
}

/** A whole session on ticket 0 from the tapes `<circuit> a` and `<circuit> b`: inputs and nonces first, then what the session draws. */
export function sessionAnswers(engine: Engine, pairings: Pairings, circuit: CircuitName): Answers {
  const garbler = GarblerPairing.import(pairings.garbler.export());
  const evaluator = EvaluatorPairing.import(pairings.evaluator.export());
  const [random, evaluatorRandom] = [tape(`${circuit} a`), tape(`${circuit} b`)];
  const context = { ceremonyId: random(32), circuit, profile: 'conformance', garblerNonce: random(32) };
  const evaluatorNonce = evaluatorRandom(32);
  const garbling = GarblingSession.open({
    kernel: engine,
    ticket: garbler.takeTicket(0),
    context,
    input: SecretBytes.own(random(32)),
    random,
  });
  const evaluating = EvaluatingSession.open({
    kernel: engine,
    ticket: evaluator.takeTicket(0),
    context,
    evaluatorNonce,
    input: SecretBytes.own(evaluatorRandom(32)),
    random: evaluatorRandom,
  });
  const pads = garbling.acceptChoices(evaluatorNonce, evaluating.choices);
  evaluating.acceptPads(pads);
  const tables = sha256.create();
  const frame = new Uint8Array(FRAME_BYTES);
  for (let length = garbling.nextTables(frame); length > 0; length = garbling.nextTables(frame)) {
    tables.update(frame.subarray(0, length));
    evaluating.acceptTables(frame.subarray(0, length));
  }
  const inputs = garbling.projectInputs();
  const answers = {
    toEvaluator: hex(garbling.frameKeys.toEvaluator),
    toGarbler: hex(garbling.frameKeys.toGarbler),
    choices: digest(evaluating.choices),
    pads: digest(pads),
    tables: toHex(tables.digest()),
    inputCiphertexts: digest(inputs.ciphertexts),
    garblerInputShare: hex(inputs.share),
    evaluatorInputShare: hex(evaluating.inputShare(inputs.ciphertexts)),
    ...(circuit === 'activation' ? outputAnswers(garbling, evaluating) : colourAnswers(garbling, evaluating)),
  };
  garbling.wipe();
  evaluating.wipe();
  return answers;
}

function outputAnswers(garbling: GarblingSession, evaluating: EvaluatingSession): Answers {
  const { ciphertexts, share } = garbling.projectOutputs();
  return {
    outputCiphertexts: digest(ciphertexts),
    garblerOutputShare: hex(share),
    evaluatorOutputShare: hex(evaluating.outputShare(ciphertexts)),
  };
}

function colourAnswers(garbling: GarblingSession, evaluating: EvaluatingSession): Answers {
  return { garblerColours: hex(garbling.inputColours()), evaluatorColours: hex(evaluating.inputColours()) };
}
