import { equalBytes, LIMITS, type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import { EvaluatingSession, TABLE_BYTES } from '@streaming-yao/engine';
import {
  Accept,
  Cancellation,
  Cosignature,
  Credit,
  DeriverAnswer,
  type Frame,
  Open,
  Output,
  PairingReply,
  PairingRequest,
  payloadOf,
  pinnedKey,
  Receipt,
  ReceiptOffer,
  receiptHeader,
  signingInput,
} from '@streaming-yao/wire';
import {
  type Admitted,
  type AskedCeremony,
  admit,
  burningOnFailure,
  checkAgainstRecord,
  completeCeremony,
  openInput,
  startCeremony,
} from './deriver.ts';
import { derivingHandlers } from './deriver-handlers.ts';
import { DeriverLink, refusal, refusalCode } from './deriver-link.ts';
import { joinedCommitments, type OwnOutput, receiptOf, releaseSeedShare, type Side, splitShare } from './deriver-output.ts';
import { answerPairingRequest, destroyPairing, spendTicket } from './deriver-pairing.ts';
import { readCeremony, readKey, writeCeremony } from './deriver-record.ts';
import { circuitIdOf, circuitNameOf, projectsSeed } from './operation.ts';
import {
  accept,
  type Channel,
  close,
  type Program,
  receive,
  reject,
  send,
  sign,
  type Transaction,
  transact,
  turn,
  verify,
} from './program.ts';
import type { DeriverSurroundings, Handlers } from './role.ts';

/** Deriver B evaluates. docs/protocol.md section 6. */
export const handlers: Handlers<DeriverSurroundings> = {
  ...derivingHandlers('deriver-b', ceremony),
  '/cancel': { caller: 'router', wallet: (body) => Cancellation.fromJson(body).walletId, program: cancel },
  '/pairing': { caller: 'deriver-a', shard: (body) => PairingRequest.fromJson(body).context.shard, program: pairing },
};

/** The Router says that A has refused this ceremony: nobody will open its stream. */
function* cancel(_: DeriverSurroundings, body: unknown) {
  yield* reject({ ceremonyId: toHex(Cancellation.fromJson(body).ceremonyId) });
  return { cancelled: true };
}

function* pairing(s: DeriverSurroundings, body: unknown) {
  return PairingReply.toJson(yield* answerPairingRequest(s, PairingRequest.fromJson(body)));
}

function* ceremony(s: DeriverSurroundings, request: AskedCeremony) {
  const begun = yield* rejectingOnFailure(request.ceremonyId, begin(s, request));
  if ('receipt' in begun) return DeriverAnswer.toJson(begun);
  const { admitted } = begun;
  using input = begun.input;
  return DeriverAnswer.toJson(yield* burningOnFailure(admitted, evaluate(s, admitted, input)));
}

function* begin(
  s: DeriverSurroundings,
  request: AskedCeremony,
): Program<{ readonly admitted: Admitted; readonly input: SecretBytes } | DeriverAnswer> {
  const admitted = yield* admit(s, 'deriver-b', request);
  return 'receipt' in admitted ? admitted : { admitted, input: yield* openInput(s, admitted, request.call.envelope) };
}

/** A that has opened the stream already must not wait for a ceremony that B refuses. */
function* rejectingOnFailure<T>(ceremonyId: Uint8Array, program: Program<T>): Program<T> {
  try {
    return yield* program;
  } catch (error) {
    yield* reject({ ceremonyId: toHex(ceremonyId) });
    throw error;
  }
}

/** One ceremony as B has accepted it. */
interface Accepted {
  readonly opening: Open;
  /** The opening as it came. */
  readonly frame: Uint8Array;
  readonly evaluatorNonce: Uint8Array;
  readonly session: EvaluatingSession;
  readonly link: DeriverLink;
}

function* evaluate(s: DeriverSurroundings, admitted: Admitted, input: SecretBytes): Program<DeriverAnswer> {
  const accepted = yield* acceptDialingTwice(s, admitted, input);
  const { session, link, opening, evaluatorNonce } = accepted;
  try {
    const first = yield* answerOpening(admitted, accepted);
    yield* evaluateTables(session, link, TABLE_BYTES[circuitNameOf(admitted.core.operation)], first);
    const output = Output.decode(yield* link.expect('output'));
    const own = yield* ownOutput(s, admitted, session, output);
    const facts = { ticket: opening.ticket, garblerNonce: opening.garblerNonce, evaluatorNonce };
    return yield* offerReceipt(s, admitted, link, sideOfA(output), own, facts);
  } catch (error) {
    if (error instanceof YaoError && error.code === 'ot_check_failed')
      yield* transact((tx) => destroyPairing(tx, opening.ticket.pairing));
    yield* link.abort(error);
    throw error;
  } finally {
    session.wipe();
  }
}

/**
 * Sends the acceptance. A whose request for the stream broke off before B's answer reached it dials again with the same opening, and
 * gets the same bytes.
 * @returns A's next frame
 */
function* answerOpening(
  { ceremonyId, deadlineMs }: Admitted,
  { link, session, frame, evaluatorNonce }: Accepted,
): Program<Frame> {
  const acceptance = link.seal('accept', Accept.encode({ evaluatorNonce, choices: session.choices }));
  const { aToB } = link.traffic;
  for (;;) {
    try {
      yield* link.sendSealed(acceptance);
      return yield* link.next();
    } catch (error) {
      const brokeOff = error instanceof YaoError && error.code === 'peer_failed' && link.traffic.aToB === aToB;
      if (!brokeOff) throw error;
    }
    const channel = yield* accept({ ceremonyId: toHex(ceremonyId), again: true, deadlineMs });
    if (!equalBytes(yield* receive(channel, deadlineMs), frame))
      throw new YaoError('frame_invalid', 'Deriver A opened the stream again, and differently', { party: 'deriver-a' });
    link.attach(channel);
  }
}

/** A ticket of a pairing that is lost here is refused once; A then pairs again and dials once more. */
function* acceptDialingTwice(s: DeriverSurroundings, admitted: Admitted, input: SecretBytes): Program<Accepted> {
  try {
    return yield* acceptOnce(s, admitted, input, false);
  } catch (error) {
    if (!refusalCode(error)) throw error;
    return yield* acceptOnce(s, admitted, input, true);
  }
}

function* acceptOnce(s: DeriverSurroundings, admitted: Admitted, input: SecretBytes, again: boolean): Program<Accepted> {
  const { ceremonyId, deadlineMs } = admitted;
  const channel = yield* accept({ ceremonyId: toHex(ceremonyId), again, deadlineMs });
  let frame: Uint8Array | undefined;
  try {
    const opening = yield* receive(channel, deadlineMs);
    frame = opening;
    return yield* transact((tx) => openSession(tx, s, admitted, input, channel, opening));
  } catch (error) {
    const code = refusalCode(error);
    if (code && frame) yield* refuse(admitted, channel, refusal(s.hashing, ceremonyId, code, frame));
    yield* turn(channel);
    yield* close(channel);
    throw error;
  }
}

/** Closing while A's frames are unread resets the connection, and A would not learn why: they are read until A has closed. */
function* refuse({ deadlineMs }: Admitted, channel: Channel, refused: Uint8Array) {
  yield* send(channel, refused);
  try {
    for (;;) yield* receive(channel, deadlineMs);
  } catch {
    // Closed, or silent for so long that nobody is there.
  }
}

/** Spends the ticket, checks the opening's tag with the ticket's key, and starts the ceremony: all of it or nothing. */
function openSession(
  tx: Transaction,
  s: DeriverSurroundings,
  admitted: Admitted,
  input: SecretBytes,
  channel: Channel,
  frame: Uint8Array,
): Accepted {
  const { core, ceremonyId, deadlineMs } = admitted;
  const opening = Open.decode(payloadOf(frame));
  const ticket = spendTicket(tx, s, opening.ticket);
  const evaluatorNonce = s.random(32);
  const context = {
    ceremonyId,
    circuit: circuitNameOf(core.operation),
    profile: core.profile,
    garblerNonce: opening.garblerNonce,
  };
  const session = EvaluatingSession.open({ kernel: s.engine, ticket, context, evaluatorNonce, input, random: s.random });
  const link = new DeriverLink(s.hashing, 'deriver-b', session.frameKeys, ceremonyId, deadlineMs, admitted.recorder);
  try {
    link.attach(channel);
    link.admitOpening(frame);
    checkOpening(admitted, opening);
    startCeremony(tx, admitted);
    return { opening, frame, evaluatorNonce, session, link };
  } catch (error) {
    session.wipe();
    link.wipe();
    throw error;
  }
}

function checkOpening({ core, ceremonyId, grantDigest }: Admitted, opening: Open): void {
  const fits =
    equalBytes(opening.ceremonyId, ceremonyId) &&
    equalBytes(opening.grant, grantDigest) &&
    opening.operation === core.operation &&
    equalBytes(opening.circuitId, circuitIdOf(core.operation)) &&
    opening.rootVersion === 1;
  if (!fits)
    throw new YaoError('request_mismatch', 'Deriver A opened another ceremony than the Router granted here', {
      party: 'deriver-a',
    });
}

/**
 * Evaluates the table frames as they come, those of one turn of A's together; those that come before the labels wait, and never more
 * than the credit allows.
 * Credit goes by frames evaluated, not by arrival, so a ceremony's bytes do not depend on timing.
 */
function* evaluateTables(session: EvaluatingSession, link: DeriverLink, tableBytes: number, first: Frame): Program<void> {
  const waiting: Uint8Array[] = [];
  let labelled = false;
  let arrivedBytes = 0;
  let evaluatedBytes = 0;
  let evaluatedFrames = 0;
  for (let next: Frame | undefined = first; evaluatedBytes < tableBytes || !labelled; next = undefined) {
    const frame: Frame = next ?? (yield* link.next());
    if (frame.kind === 'pads' && !labelled) {
      session.acceptPads(frame.payload);
      labelled = true;
    } else if (frame.kind === 'tables' && frame.payload.length > 0 && waiting.length < LIMITS.creditFrames) {
      waiting.push(frame.payload);
      arrivedBytes += frame.payload.length;
      if (arrivedBytes > tableBytes || frame.final !== (arrivedBytes === tableBytes))
        throw new YaoError('frame_invalid', 'the tables end early or late', { party: 'deriver-a' });
    } else {
      throw new YaoError('frame_invalid', `a frame of kind ${frame.kind} does not belong here`, { party: 'deriver-a' });
    }
    if (!labelled || (waiting.length < LIMITS.turnFrames && !frame.final)) continue;
    for (const tables of waiting.splice(0)) {
      session.acceptTables(tables);
      evaluatedBytes += tables.length;
      evaluatedFrames++;
      if (evaluatedFrames % LIMITS.creditStepFrames === 0 && evaluatedBytes < tableBytes)
        yield* link.send('credit', Credit.encode({ frames: LIMITS.creditStepFrames }));
    }
  }
}

function* ownOutput(s: DeriverSurroundings, admitted: Admitted, session: EvaluatingSession, output: Output): Program<OwnOutput> {
  const { operation } = admitted.core;
  if (!output.inputCiphertexts === projectsSeed(operation) || !output.outputCiphertexts !== (operation === 'export')) {
    throw new YaoError('frame_invalid', `this is not the output of an operation ${operation}`, { party: 'deriver-a' });
  }
  using seedShare = output.inputCiphertexts ? session.inputShare(output.inputCiphertexts) : undefined;
  using share = output.outputCiphertexts ? session.outputShare(output.outputCiphertexts) : session.inputColours();
  return operation === 'export' && seedShare
    ? yield* releaseSeedShare(s, admitted, share, seedShare)
    : yield* splitShare(s, admitted, share, seedShare);
}

function sideOfA(output: Output): Side {
  return {
    commitments: output.commitments ?? undefined,
    seedCommitment: output.seedCommitment ?? undefined,
    clientPackage: output.clientPackage,
    signingWorkerPackage: output.signingWorkerPackage ?? undefined,
  };
}

/** Signs the receipt and records the answer before A may count on it. A's signature comes when everybody has been answered. */
function* offerReceipt(
  s: DeriverSurroundings,
  admitted: Admitted,
  link: DeriverLink,
  sideA: Side,
  own: OwnOutput,
  facts: Pick<Receipt, 'ticket' | 'garblerNonce' | 'evaluatorNonce'>,
): Program<DeriverAnswer> {
  const joined = joinedCommitments(s, own, sideA);
  const record = yield* transact((tx) => readKey(tx, admitted.core));
  checkAgainstRecord(admitted.core, record, joined.publicKey, joined.seedCommitment);
  const publicKey = joined.publicKey ?? record?.publicKey;
  if (!publicKey)
    throw new YaoError('commitment_mismatch', 'an operation that makes shares came without commitments', { party: 'deriver-a' });
  const receipt = receiptOf(admitted, { ...facts, transcript: link.transcript, publicKey, atMs: s.now() }, sideA, own.side);
  const payload = Receipt.encode(receipt);
  const signatureB = yield* sign(signingInput(receiptHeader('deriver-b'), payload));
  const offer = link.seal('receipt', ReceiptOffer.encode({ receipt: payload, signature: signatureB }));
  const answer = {
    ceremonyId: admitted.ceremonyId,
    receipt: payload,
    signatureA: null,
    signatureB,
    clientPackage: own.clientPackage,
    signingWorkerPackage: own.signingWorkerPackage ?? null,
    traffic: link.traffic,
    timeline: admitted.recorder?.timeline ?? null,
  };
  yield* transact((tx) => completeCeremony(tx, admitted, { publicKey, seedCommitment: joined.seedCommitment, answer }));
  yield* link.sendSealed(offer);
  s.background(keepCosignature(s, admitted, link, answer));
  return answer;
}

/** Completes the stored receipt with A's signature. @throws YaoError `receipt_invalid`, or why A has not signed */
function* keepCosignature(
  s: DeriverSurroundings,
  { ceremonyId, deleteAtMs }: Admitted,
  link: DeriverLink,
  answer: DeriverAnswer,
): Program<void> {
  try {
    const { signature: signatureA } = Cosignature.decode(yield* link.expect('cosignature'));
    const message = signingInput(receiptHeader('deriver-a'), answer.receipt);
    const publicKey = pinnedKey(s.pins, 'deriver-a');
    if (!(yield* verify({ algorithm: 'ed25519', publicKey, message, signature: signatureA })))
      throw new YaoError('receipt_invalid', 'Deriver A has not signed the receipt', { party: 'deriver-a' });
    const record = { state: 'completed', answer: { ...answer, signatureA } } as const;
    yield* transact((tx) => {
      // The wallet may have been deleted meanwhile.
      if (readCeremony(tx, ceremonyId)) writeCeremony(tx, ceremonyId, record, deleteAtMs);
    });
  } finally {
    yield* link.close();
  }
}
