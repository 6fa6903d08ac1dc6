import { SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import {
  Abort,
  type DeriverRole,
  type Frame,
  type FrameHashing,
  type FrameKind,
  FrameLine,
  type Traffic,
  transcriptDigest,
} from '@streaming-yao/wire';
import { type Channel, close, connect, type Program, receive, send, turn } from './program.ts';
import type { TimelineRecorder } from './timeline.ts';

/** Keys of the two directions, 32 bytes each; from the ticket. The link has copies, since it outlives the session that made them. */
export interface FrameKeys {
  readonly toEvaluator: SecretBytes;
  readonly toGarbler: SecretBytes;
}

/** One ceremony's authenticated frames, seen from one end: on the channel that A {@link dial}s and B {@link attach}es to. */
export class DeriverLink {
  readonly #hashing: FrameHashing;
  readonly #ceremonyId: Uint8Array;
  readonly #deadlineMs: number;
  readonly #peer: DeriverRole;
  readonly #toEvaluator: FrameLine;
  readonly #toGarbler: FrameLine;
  readonly #keys: FrameKeys;
  readonly #recorder: TimelineRecorder | undefined;
  #channel: Channel | undefined;
  /** Of both directions before the frame received last; hashed together only for whom it concerns. */
  #beforeLast: readonly [Uint8Array, Uint8Array] | undefined;
  #sentBytes = 0;
  #receivedBytes = 0;

  constructor(
    hashing: FrameHashing,
    self: DeriverRole,
    keys: FrameKeys,
    ceremonyId: Uint8Array,
    deadlineMs: number,
    recorder?: TimelineRecorder,
  ) {
    this.#hashing = hashing;
    this.#ceremonyId = ceremonyId;
    this.#deadlineMs = deadlineMs;
    this.#recorder = recorder;
    this.#peer = self === 'deriver-a' ? 'deriver-b' : 'deriver-a';
    const { toEvaluator, toGarbler } = keys;
    this.#keys = { toEvaluator: copyOf(toEvaluator), toGarbler: copyOf(toGarbler) };
    this.#toEvaluator = new FrameLine(hashing, this.#keys.toEvaluator, 'to-evaluator', ceremonyId);
    this.#toGarbler = new FrameLine(hashing, this.#keys.toGarbler, 'to-garbler', ceremonyId);
  }

  get outgoing(): FrameLine {
    return this.#peer === 'deriver-b' ? this.#toEvaluator : this.#toGarbler;
  }

  get incoming(): FrameLine {
    return this.#peer === 'deriver-b' ? this.#toGarbler : this.#toEvaluator;
  }

  /** Digest over all frames of both directions so far. */
  get transcript(): Uint8Array {
    return transcriptDigest(this.#hashing, ...this.#transcripts);
  }

  /** The same digest as it stood before the frame received last: what the peer could know when it sent that frame. */
  get transcriptBeforeLast(): Uint8Array {
    return transcriptDigest(this.#hashing, ...(this.#beforeLast ?? this.#transcripts));
  }

  get #transcripts(): readonly [Uint8Array, Uint8Array] {
    return [this.#toEvaluator.transcript, this.#toGarbler.transcript];
  }

  /** What went over the channel so far, frames and all. */
  get traffic(): Traffic {
    const [sent, received] = [this.#sentBytes, this.#receivedBytes];
    return this.#peer === 'deriver-b' ? { aToB: sent, bToA: received } : { aToB: received, bToA: sent };
  }

  /** A: opens the stream to object `shard` of B with this opening. @throws YaoError `peer_failed`, `deadline_exceeded` */
  *dial(shard: number, payload: Uint8Array): Program<void> {
    const opening = this.seal('open', payload);
    const ceremonyId = toHex(this.#ceremonyId);
    this.#channel = yield* connect({ ceremonyId, shard, opening, deadlineMs: this.#deadlineMs });
  }

  get stands(): boolean {
    return this.#channel !== undefined;
  }

  /** B: goes on with the stream whose opening it has taken. */
  attach(channel: Channel): void {
    this.#channel = channel;
  }

  *send(kind: FrameKind, payload: Uint8Array): Program<void> {
    yield* this.sendSealed(this.seal(kind, payload));
  }

  /** Seals a frame that {@link sendSealed} will send next; it counts as traffic from here on. */
  seal(kind: FrameKind, payload: Uint8Array): Uint8Array {
    return this.#counted(kind, this.outgoing.seal(kind, payload));
  }

  /** The same for table frames, whose payload stands in `buffer` already. */
  sealTables(buffer: Uint8Array, payloadBytes: number, final: boolean): Uint8Array {
    return this.#counted('tables', this.outgoing.sealInPlace(buffer, 'tables', payloadBytes, final));
  }

  *sendSealed(frame: Uint8Array): Program<void> {
    yield* send(this.#open, frame);
  }

  /** The peer's next frame. @throws YaoError `frame_invalid`, `deadline_exceeded`, `peer_failed`, or what the peer aborted with */
  *next(): Program<Frame> {
    return this.#opened(yield* receive(this.#open, this.#deadlineMs));
  }

  /** Lets queued frames leave; the peer's next frame if it has come already. */
  *poll(): Program<Frame | undefined> {
    const frame = yield* turn(this.#open);
    return frame && this.#opened(frame);
  }

  /** The payload of the peer's next frame, which must be of one kind. @throws YaoError as {@link next} */
  *expect(kind: FrameKind): Program<Uint8Array> {
    const frame = yield* this.next();
    if (frame.kind !== kind)
      throw new YaoError('frame_invalid', `expected a frame of kind ${kind}, got ${frame.kind}`, { party: this.#peer });
    return frame.payload;
  }

  /** Opens the peer's first frame, which named the ticket whose keys this link has. @throws YaoError `frame_invalid` */
  admitOpening(frame: Uint8Array): void {
    this.#receivedBytes += frame.length;
    for (const line of [this.incoming, this.outgoing]) line.answer(frame);
    this.#arrived(this.incoming.open(frame), frame.length);
  }

  /** Tells the peer, if there is one that listens, and closes. */
  *abort(error: unknown): Program<void> {
    try {
      if (!this.#channel) return;
      const code = error instanceof YaoError ? error.code : 'internal';
      yield* this.send('abort', Abort.encode({ code }));
      yield* turn(this.#channel);
      yield* close(this.#channel);
    } finally {
      this.wipe();
    }
  }

  *close(): Program<void> {
    this.wipe();
    yield* close(this.#open);
  }

  /** Ends the keys, where there is nothing to close. */
  wipe(): void {
    this.#keys.toEvaluator.wipe();
    this.#keys.toGarbler.wipe();
  }

  get #open(): Channel {
    if (this.#channel) return this.#channel;
    throw new YaoError('internal', 'this link has no stream yet');
  }

  #counted(message: FrameKind, frame: Uint8Array): Uint8Array {
    this.#sentBytes += frame.length;
    this.#recorder?.note({ peer: this.#peer, direction: 'sent', message, bytes: frame.length });
    return frame;
  }

  #opened(raw: Uint8Array): Frame {
    let frame: Frame;
    this.#receivedBytes += raw.length;
    this.#beforeLast = this.#transcripts;
    try {
      frame = this.incoming.open(raw);
    } catch (error) {
      const refusal = this.#peer === 'deriver-b' ? refusalIn(this.#hashing, this.#ceremonyId, raw) : undefined;
      throw refusal ?? (error instanceof YaoError ? error.within({ party: this.#peer }) : error);
    }
    this.#arrived(frame, raw.length);
    if (frame.kind === 'abort') throw abortedBy(frame, this.#peer);
    return frame;
  }

  #arrived({ kind: message }: Frame, bytes: number): void {
    this.#recorder?.note({ peer: this.#peer, direction: 'received', message, bytes });
  }
}

const copyOf = (key: SecretBytes): SecretBytes => key.map((bytes) => bytes.slice());

function abortedBy(frame: Frame, party: DeriverRole): YaoError {
  return new YaoError(Abort.decode(frame.payload).code, `${party} broke the ceremony off`, { party });
}

/** Before B has a key of A's ticket it can refuse only in the open, under a key that everybody knows. */
function refusalLine(hashing: FrameHashing, ceremonyId: Uint8Array): FrameLine {
  return new FrameLine(hashing, SecretBytes.own(new Uint8Array(32)), 'to-garbler', ceremonyId);
}

/** B's refusal of the ticket that `opening` names. */
export function refusal(hashing: FrameHashing, ceremonyId: Uint8Array, code: RefusalCode, opening: Uint8Array): Uint8Array {
  const line = refusalLine(hashing, ceremonyId);
  line.answer(opening);
  return line.seal('abort', Abort.encode({ code }));
}

export type RefusalCode = 'pairing_invalid' | 'ticket_spent';

/** The code with which B refuses a ticket, where `error` is such a refusal. */
export function refusalCode(error: unknown): RefusalCode | undefined {
  if (!(error instanceof YaoError)) return undefined;
  return error.code === 'pairing_invalid' || error.code === 'ticket_spent' ? error.code : undefined;
}

/** Whoever forges a refusal makes A pair again and dial once more, nothing else. */
function refusalIn(hashing: FrameHashing, ceremonyId: Uint8Array, raw: Uint8Array): YaoError | undefined {
  try {
    const error = abortedBy(refusalLine(hashing, ceremonyId).open(raw), 'deriver-b');
    return refusalCode(error) && error;
  } catch {
    return undefined;
  }
}
