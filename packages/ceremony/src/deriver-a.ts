import { type Infer, LIMITS, type SecretBytes, YaoError } from '@streaming-yao/core';
import { type GarblerTicket, GarblingSession } from '@streaming-yao/engine';
import {
  Accept,
  Cosignature,
  Credit,
  DeriverAnswer,
  Open,
  Output,
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
import { DeriverLink, refusalCode } from './deriver-link.ts';
import {
  joinedCommitments,
  type OwnOutput,
  receiptOf,
  releaseSeedShare,
  sameReceipt,
  sideOfB,
  splitShare,
} from './deriver-output.ts';
import { destroyPairing, drawTicket, ensurePairing, pair, type TakenTicket } from './deriver-pairing.ts';
import { readKey } from './deriver-record.ts';
import { circuitIdOf, circuitNameOf, projectsSeed } from './operation.ts';
import { all, type Program, sign, transact, verify } from './program.ts';
import type { DeriverSurroundings, Handlers } from './role.ts';
import { TableFrames } from './table-frames.ts';

/** Deriver A garbles. docs/protocol.md section 6. */
export const handlers: Handlers<DeriverSurroundings> = {
  ...derivingHandlers('deriver-a', ceremony),
  '/ready': { everyObject: true, program: ready },
};

/** Pairs ahead of the first ceremony. */
function* ready(s: DeriverSurroundings): Program<{ ready: boolean }> {
  yield* ensurePairing(s);
  return { ready: true };
}

type Ticket = TakenTicket<GarblerTicket>;

function* ceremony(s: DeriverSurroundings, request: AskedCeremony) {
  const admitted = yield* admit(s, 'deriver-a', request);
  if ('receipt' in admitted) return DeriverAnswer.toJson(admitted);
  using input = yield* openInput(s, admitted, request.call.envelope);
  const taken = yield* drawTicket(s, (tx) => startCeremony(tx, admitted));
  return DeriverAnswer.toJson(yield* burningOnFailure(admitted, garbleDialingTwice(s, admitted, input, taken)));
}

/** A pairing that B has lost costs one more dial, not the ceremony. */
function* garbleDialingTwice(
  s: DeriverSurroundings,
  admitted: Admitted,
  input: SecretBytes,
  taken: Ticket,
): Program<DeriverAnswer> {
  try {
    return yield* garble(s, admitted, input, taken);
  } catch (error) {
    if (!refusalCode(error)) throw error;
    yield* transact((tx) => destroyPairing(tx, taken.name.pairing));
    yield* pair(s);
    return yield* garble(s, admitted, input, yield* drawTicket(s));
  }
}

function* garble(s: DeriverSurroundings, admitted: Admitted, input: SecretBytes, taken: Ticket): Program<DeriverAnswer> {
  const { core, ceremonyId, deadlineMs } = admitted;
  const garblerNonce = s.random(32);
  const context = { ceremonyId, circuit: circuitNameOf(core.operation), profile: core.profile, garblerNonce };
  const session = GarblingSession.open({ kernel: s.engine, ticket: taken.ticket, context, input, random: s.random });
  const link = new DeriverLink(s.hashing, 'deriver-a', session.frameKeys, ceremonyId, deadlineMs, admitted.recorder);
  try {
    const tables = new TableFrames(session, link, context.circuit);
    yield* all(link.dial(s.shard, openingOf(admitted, taken, garblerNonce)), tables.garbleAhead());
    const evaluatorNonce = yield* stream(session, link, tables);
    const own = yield* sendOutput(s, admitted, session, link);
    const facts = { ticket: taken.name, garblerNonce, evaluatorNonce };
    const answer = yield* cosign(s, admitted, link, own, facts);
    yield* link.close();
    return answer;
  } catch (error) {
    if (error instanceof YaoError && error.code === 'ot_check_failed')
      yield* transact((tx) => destroyPairing(tx, taken.name.pairing));
    yield* link.abort(error);
    throw error;
  } finally {
    session.wipe();
  }
}

function openingOf({ core, ceremonyId, grantDigest }: Admitted, taken: Ticket, garblerNonce: Uint8Array): Uint8Array {
  const { operation } = core;
  return Open.encode({
    ceremonyId,
    grant: grantDigest,
    operation,
    circuitId: circuitIdOf(operation),
    ticket: taken.name,
    rootVersion: 1,
    garblerNonce,
  });
}

/**
 * Sends the tables as credit allows, turning the event loop after every few frames, and answers B's choices as soon as they come.
 * @returns B's nonce
 */
function* stream(session: GarblingSession, link: DeriverLink, tables: TableFrames): Program<Uint8Array> {
  let credit: number = LIMITS.creditFrames;
  let evaluatorNonce: Uint8Array | undefined;
  while (!tables.sent || !evaluatorNonce) {
    const sending = !tables.sent && credit > 0;
    if (sending) credit -= yield* tables.sendNext(credit);
    const frame = sending ? yield* link.poll() : yield* link.next();
    if (frame?.kind === 'accept' && !evaluatorNonce) {
      const accept = Accept.decode(frame.payload);
      yield* link.send('pads', session.acceptChoices(accept.evaluatorNonce, accept.choices));
      evaluatorNonce = accept.evaluatorNonce;
    } else if (frame?.kind === 'credit') {
      credit = Math.min(credit + Credit.decode(frame.payload).frames, LIMITS.creditFrames);
    } else if (frame) {
      throw new YaoError('frame_invalid', `a frame of kind ${frame.kind} does not belong here`, { party: 'deriver-b' });
    }
  }
  return evaluatorNonce;
}

function* sendOutput(
  s: DeriverSurroundings,
  admitted: Admitted,
  session: GarblingSession,
  link: DeriverLink,
): Program<OwnOutput> {
  const { operation } = admitted.core;
  const inputs = projectsSeed(operation) ? session.projectInputs() : undefined;
  using seedShare = inputs?.share;
  const outputs = operation === 'export' ? undefined : session.projectOutputs();
  using share = outputs ? outputs.share : session.inputColours();
  const own =
    operation === 'export' && seedShare
      ? yield* releaseSeedShare(s, admitted, share, seedShare)
      : yield* splitShare(s, admitted, share, seedShare);
  const { side } = own;
  const output = {
    outputCiphertexts: outputs?.ciphertexts ?? null,
    inputCiphertexts: inputs?.ciphertexts ?? null,
    commitments: side.commitments ?? null,
    seedCommitment: side.seedCommitment ?? null,
    clientPackage: side.clientPackage,
    signingWorkerPackage: side.signingWorkerPackage ?? null,
  };
  yield* link.send('output', Output.encode(output));
  return own;
}

/** Checks B's receipt against the own view of the ceremony, signs it, and records the answer before B may count on it. */
function* cosign(
  s: DeriverSurroundings,
  admitted: Admitted,
  link: DeriverLink,
  own: OwnOutput,
  facts: Pick<Receipt, 'ticket' | 'garblerNonce' | 'evaluatorNonce'>,
): Program<DeriverAnswer> {
  const offer = yield* receiveOffer(link);
  const transcript = link.transcriptBeforeLast;
  const receipt = Receipt.decode(offer.receipt);
  const sideB = sideOfB(receipt);
  const joined = joinedCommitments(s, own, sideB);
  const record = yield* transact((tx) => readKey(tx, admitted.core));
  checkAgainstRecord(admitted.core, record, joined.publicKey, joined.seedCommitment);
  const publicKey = joined.publicKey ?? record?.publicKey;
  const expected = publicKey && receiptOf(admitted, { ...facts, transcript, publicKey, atMs: receipt.atMs }, own.side, sideB);
  const byB = signingInput(receiptHeader('deriver-b'), offer.receipt);
  const genuine = yield* verify({
    algorithm: 'ed25519',
    publicKey: pinnedKey(s.pins, 'deriver-b'),
    message: byB,
    signature: offer.signature,
  });
  if (!expected || !sameReceipt(receipt, expected) || !genuine) {
    throw new YaoError('receipt_invalid', 'Deriver B’s receipt does not state what Deriver A saw', { party: 'deriver-b' });
  }
  const signatureA = yield* sign(signingInput(receiptHeader('deriver-a'), offer.receipt));
  const cosignature = link.seal('cosignature', Cosignature.encode({ signature: signatureA }));
  const answer = {
    ceremonyId: admitted.ceremonyId,
    receipt: offer.receipt,
    signatureA,
    signatureB: offer.signature,
    clientPackage: own.clientPackage,
    signingWorkerPackage: own.signingWorkerPackage ?? null,
    traffic: link.traffic,
    timeline: admitted.recorder?.timeline ?? null,
  };
  yield* transact((tx) =>
    completeCeremony(tx, admitted, { publicKey: receipt.publicKey, seedCommitment: joined.seedCommitment, answer }),
  );
  yield* link.sendSealed(cosignature);
  yield* link.poll();
  return answer;
}

/** B may have granted credit that nobody needed any more. */
function* receiveOffer(link: DeriverLink): Program<Infer<typeof ReceiptOffer.codec>> {
  for (;;) {
    const frame = yield* link.next();
    if (frame.kind === 'receipt') return ReceiptOffer.decode(frame.payload);
    if (frame.kind !== 'credit')
      throw new YaoError('frame_invalid', `expected a receipt, got a frame of kind ${frame.kind}`, { party: 'deriver-b' });
  }
}
