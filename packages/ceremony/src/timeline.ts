import { type Json, LIMITS, utf8 } from '@streaming-yao/core';
import type { Passage, Role, Timeline } from '@streaming-yao/wire';
import { call, type PeerRole, type Program, type Surroundings } from './program.ts';

/** Notes which messages pass a role in a ceremony whose client asked for it. Lengths and times only. */
export class TimelineRecorder {
  readonly #role: Role;
  readonly #now: () => number;
  readonly #startedAtMs: number;
  readonly #passages: Passage[] = [];

  constructor(role: Role, { now }: Pick<Surroundings, 'now'>) {
    this.#role = role;
    this.#now = now;
    this.#startedAtMs = now();
  }

  /** What comes after {@link LIMITS.timelinePassages} messages is not noted. */
  note(passage: Omit<Passage, 'afterMs'>): void {
    if (this.#passages.length === LIMITS.timelinePassages) return;
    this.#passages.push({ ...passage, afterMs: Math.max(0, this.#now() - this.#startedAtMs) });
  }

  get timeline(): Timeline {
    return { role: this.#role, startedAtMs: this.#startedAtMs, passages: [...this.#passages] };
  }
}

const jsonBytes = (value: unknown): number => utf8(JSON.stringify(value)).length;

/** Calls another role, and notes the call and its answer where there is a recorder. @throws as the effect `call` */
export function* notedCall(
  recorder: TimelineRecorder | undefined,
  request: { readonly role: PeerRole; readonly path: string; readonly body: Json; readonly deadlineMs: number },
): Program<unknown> {
  const peer = request.role;
  recorder?.note({ peer, direction: 'sent', message: 'call', bytes: jsonBytes(request.body) });
  const answer = yield* call(request);
  recorder?.note({ peer, direction: 'received', message: 'answer', bytes: jsonBytes(answer) });
  return answer;
}
