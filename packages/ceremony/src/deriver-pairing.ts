import { equalBytes, type Infer, LIMITS, type SecretBytes, schema, toHex, utf8, YaoError } from '@streaming-yao/core';
import {
  answerPairing,
  EvaluatorPairing,
  type EvaluatorTicket,
  finishPairing,
  GarblerPairing,
  type GarblerTicket,
  startPairing,
} from '@streaming-yao/engine';
import {
  PairingContext,
  type PairingContext as PairingFacts,
  PairingReply,
  PairingRequest,
  PairingTranscript,
  PROTOCOL,
  pinnedKey,
  type Ticket,
} from '@streaming-yao/wire';
import { call, type Program, sign, type Transaction, transact, verify } from './program.ts';
import type { DeriverSurroundings, Sealer } from './role.ts';

/** A pairing at rest: what it is for in the clear, its keys sealed. */
const PairingRecord = schema.message(`${PROTOCOL} pairing-record`, {
  context: PairingContext.codec,
  nextCounter: schema.u32,
  sealed: schema.bytesBetween(1, 1024 * 1024),
});
type PairingRecord = Infer<typeof PairingRecord.codec>;

interface DurablePairing {
  readonly id: Uint8Array;
  readonly nextCounter: number;
  export(): SecretBytes;
  wipe(): void;
}

const sealContext = (id: string): Uint8Array => utf8(`${PROTOCOL} pairing ${id}`);

function writePairing(
  tx: Transaction,
  { sealer, settings }: DeriverSurroundings,
  context: PairingFacts,
  pairing: DurablePairing,
): void {
  const id = toHex(pairing.id);
  using keys = pairing.export();
  const record = { context, nextCounter: pairing.nextCounter, sealed: sealer.seal(sealContext(id), keys) };
  tx.put('pairing', id, PairingRecord.encode(record), context.expiresAtMs + settings.ceremonyDeadlineMs);
}

function openPairing<P>(sealer: Sealer, id: string, record: PairingRecord, importer: (keys: SecretBytes) => P): P {
  using keys = sealer.open(sealContext(id), record.sealed);
  return importer(keys);
}

/** How far a pairing may be used before its successor is made in the background. */
const FRESH_SHARE = 0.75;

interface Candidate {
  readonly id: string;
  readonly record: PairingRecord;
  readonly fresh: boolean;
}

function newestPairing(tx: Transaction, nowMs: number): Candidate | undefined {
  const [newest] = tx
    .list('pairing', '', LIMITS.livePairings)
    .map(({ key, value }) => ({ id: key, record: PairingRecord.decode(value) }))
    .filter(({ record }) => nowMs < record.context.expiresAtMs && record.nextCounter < record.context.tickets)
    .sort((a, b) => b.record.context.issuedAtMs - a.record.context.issuedAtMs);
  if (!newest) return undefined;
  const { context, nextCounter } = newest.record;
  const lived = (nowMs - context.issuedAtMs) / (context.expiresAtMs - context.issuedAtMs);
  return { ...newest, fresh: lived < FRESH_SHARE && nextCounter < FRESH_SHARE * context.tickets };
}

/** A: makes a new pairing with B and stores it. @throws YaoError `pairing_invalid`, `peer_failed` */
export function* pair(s: DeriverSurroundings): Program<void> {
  const issuedAtMs = s.now();
  const { deployment, profile } = s.pins;
  const { pairingLifeMs, pairingTickets, ceremonyDeadlineMs } = s.settings;
  const expiresAtMs = issuedAtMs + pairingLifeMs;
  const context = { deployment, profile, shard: s.shard, issuedAtMs, expiresAtMs, tickets: pairingTickets };
  const { pending, message } = startPairing(s.group, s.random, PairingContext.encode(context));
  using kept = pending;
  const signature = yield* sign(PairingTranscript.encode({ context, message, reply: null }));
  const body = PairingRequest.toJson({ context, message, signature });
  const answer = PairingReply.fromJson(
    yield* call({ role: 'deriver-b', path: '/pairing', body, deadlineMs: issuedAtMs + ceremonyDeadlineMs }),
  );
  const transcript = PairingTranscript.encode({ context, message, reply: answer.reply });
  const genuine = yield* verify({
    algorithm: 'ed25519',
    publicKey: pinnedKey(s.pins, 'deriver-b'),
    message: transcript,
    signature: answer.signature,
  });
  if (!genuine) throw new YaoError('pairing_invalid', 'the pairing reply is not signed by Deriver B', { party: 'deriver-b' });
  const pairing = finishPairing(s.group, kept, PairingContext.encode(context), answer.reply);
  try {
    yield* transact((tx) => {
      makeRoom(tx);
      writePairing(tx, s, context, pairing);
    });
  } finally {
    pairing.wipe();
  }
}

/** B's side of {@link pair}. @throws YaoError `pairing_invalid` */
export function* answerPairingRequest(
  s: DeriverSurroundings,
  { context, message, signature }: PairingRequest,
): Program<PairingReply> {
  const nowMs = s.now();
  const fits =
    context.deployment === s.pins.deployment &&
    context.profile === s.pins.profile &&
    context.shard === s.shard &&
    Math.abs(context.issuedAtMs - nowMs) <= LIMITS.clockSkewMs &&
    context.expiresAtMs - context.issuedAtMs <= s.settings.pairingLifeMs &&
    context.tickets <= s.settings.pairingTickets;
  const asked = PairingTranscript.encode({ context, message, reply: null });
  const genuine =
    fits && (yield* verify({ algorithm: 'ed25519', publicKey: pinnedKey(s.pins, 'deriver-a'), message: asked, signature }));
  if (!genuine)
    throw new YaoError('pairing_invalid', 'the pairing request is not one that Deriver A signed for this object and time', {
      party: 'deriver-a',
    });
  const { pairing, reply } = answerPairing(s.group, s.random, PairingContext.encode(context), message);
  try {
    yield* transact((tx) => {
      makeRoom(tx);
      writePairing(tx, s, context, pairing);
    });
  } finally {
    pairing.wipe();
  }
  return { reply, signature: yield* sign(PairingTranscript.encode({ context, message, reply })) };
}

/** Drops the oldest pairing when a new one would exceed the limit. */
function makeRoom(tx: Transaction): void {
  const kept = tx
    .list('pairing', '', LIMITS.livePairings)
    .map(({ key, value }) => ({ key, issuedAtMs: PairingRecord.decode(value).context.issuedAtMs }))
    .sort((a, b) => a.issuedAtMs - b.issuedAtMs);
  if (kept[0] && kept.length >= LIMITS.livePairings) tx.delete('pairing', kept[0].key);
}

/** A: pairs unless a pairing is there that is good for a while. */
export function* ensurePairing(s: DeriverSurroundings): Program<void> {
  const newest = yield* transact((tx) => newestPairing(tx, s.now()));
  if (!newest) yield* pair(s);
  else if (!newest.fresh) pairAhead(s);
}

function pairAhead(s: DeriverSurroundings): void {
  if (!s.memory.has(PAIRING)) s.background(pairOnce(s));
}

/** Notes in the object's memory that a successor is being made. */
const PAIRING = 'pairing';

function* pairOnce(s: DeriverSurroundings): Program<void> {
  s.memory.set(PAIRING, true);
  try {
    yield* pair(s);
  } finally {
    s.memory.delete(PAIRING);
  }
}

/** Pairings made for one ceremony, should others take their tickets. */
const PAIRINGS_PER_CEREMONY = 4;

/**
 * A: the next ticket, and in the same transaction what `begin` does.
 * @throws YaoError `not_ready` when others are always quicker
 */
export function* drawTicket(
  s: DeriverSurroundings,
  begin: (tx: Transaction) => void = () => undefined,
): Program<TakenTicket<GarblerTicket>> {
  for (let made = 0; ; made++) {
    const drawn = yield* transact((tx) => {
      const next = takeNextTicket(tx, s);
      if (next) begin(tx);
      return next;
    });
    if (drawn?.aging) pairAhead(s);
    if (drawn) return drawn.taken;
    if (made === PAIRINGS_PER_CEREMONY)
      throw new YaoError('not_ready', 'no pairing with Deriver B; try again in a moment', { party: 'deriver-a' });
    yield* pair(s);
  }
}

export interface TakenTicket<T> {
  readonly ticket: T;
  readonly name: Ticket;
}

interface DrawnTicket {
  readonly taken: TakenTicket<GarblerTicket>;
  /** Whether it is time to make the pairing's successor. */
  readonly aging: boolean;
}

/** The next ticket of the newest pairing that has one. */
function takeNextTicket(tx: Transaction, s: DeriverSurroundings): DrawnTicket | undefined {
  const newest = newestPairing(tx, s.now());
  if (!newest) return undefined;
  const pairing = openPairing(s.sealer, newest.id, newest.record, GarblerPairing.import);
  try {
    const counter = pairing.nextCounter;
    const ticket = pairing.takeTicket(counter);
    writePairing(tx, s, newest.record.context, pairing);
    return { taken: { ticket, name: { pairing: pairing.id, counter } }, aging: !newest.fresh };
  } finally {
    pairing.wipe();
  }
}

/** B, inside the transaction that starts a ceremony: spends the ticket that A named. @throws YaoError `pairing_invalid`, `ticket_spent` */
export function spendTicket(tx: Transaction, s: DeriverSurroundings, { pairing: id, counter }: Ticket): EvaluatorTicket {
  const stored = tx.get('pairing', toHex(id));
  const record = stored && PairingRecord.decode(stored);
  if (!record || record.context.expiresAtMs + s.settings.ceremonyDeadlineMs <= s.now() || counter >= record.context.tickets) {
    throw new YaoError('pairing_invalid', 'this pairing is not, or no longer, known here; pair again', { party: 'deriver-a' });
  }
  const pairing = openPairing(s.sealer, toHex(id), record, EvaluatorPairing.import);
  try {
    if (!equalBytes(pairing.id, id))
      throw new YaoError('pairing_invalid', 'a stored pairing has another name', { party: 'deriver-b' });
    const ticket = pairing.takeTicket(counter);
    writePairing(tx, s, record.context, pairing);
    return ticket;
  } finally {
    pairing.wipe();
  }
}

export function destroyPairing(tx: Transaction, id: Uint8Array): void {
  tx.delete('pairing', toHex(id));
}
