import { errorFromBody, utf8, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import type { Actor, ActorRole } from './actor.ts';
import type { Faults } from './faults.ts';
import type { Sight } from './observer.ts';
import type { Schedule } from './schedule.ts';
import type { Outcome, Strand } from './strand.ts';

export interface Request {
  readonly caller: ActorRole;
  readonly role: Role;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A role's answer: JSON and whether it is an error; `undefined` when the role broke down over it. */
export type Answer = { readonly ok: boolean; readonly bytes: Uint8Array } | undefined;

export type Serve = (request: Request, respond: (answer: Answer) => void) => void;

export interface NetworkParts {
  readonly schedule: Schedule;
  readonly faults: () => Faults;
  readonly saw: (role: ActorRole, sight: Sight, bytes: Uint8Array) => void;
  readonly serve: Serve;
}

/** Carries requests and their answers between roles, as well as the faults allow. */
export class Network {
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** Sends a request for `strand`, which waits for the answer until `deadlineMs` of the virtual clock. */
  call(strand: Strand, from: Actor, to: { role: Role; path: string; body: unknown }, deadlineMs: number): void {
    const { schedule, faults, saw } = this.#parts;
    const { role, path, body } = to;
    const bytes = utf8(JSON.stringify(body ?? null));
    saw(from.role, 'sent', bytes);
    const wait = strand.wait(
      deadlineMs,
      () => new YaoError('deadline_exceeded', `${role} did not answer in time`, { party: role }),
    );
    const fate = faults().message(bytes, 'request');
    const request: Request = {
      caller: from.role,
      role,
      method: body === undefined ? 'GET' : 'POST',
      path,
      bytes: fate.bytes,
    };
    if (fate.broken) schedule.after(1, () => wait.settle({ error: broken(role) }));
    for (const delayMs of fate.delaysMs) {
      schedule.after(delayMs, () =>
        this.#parts.serve(request, (answer) => this.#answer(from, role, answer, (outcome) => wait.settle(outcome))),
      );
    }
  }

  #answer(to: Actor, role: Role, answer: Answer, settle: (outcome: Outcome) => void): void {
    const { schedule, faults, saw } = this.#parts;
    if (!answer) {
      schedule.after(1, () => settle({ error: broken(role) }));
      return;
    }
    saw(role, 'sent', answer.bytes);
    const fate = faults().message(answer.bytes, 'answer');
    if (fate.broken) schedule.after(1, () => settle({ error: broken(role) }));
    for (const delayMs of fate.delaysMs) {
      schedule.after(delayMs, () => {
        saw(to.role, 'received', fate.bytes);
        settle(read(role, answer.ok, fate.bytes));
      });
    }
  }
}

function read(role: Role, ok: boolean, bytes: Uint8Array): Outcome {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { error: broken(role) };
  }
  return ok ? { value: body } : { error: errorFromBody(body, role) };
}

function broken(role: Role): YaoError {
  return new YaoError('peer_failed', `${role} could not be reached or broke off`, { party: role });
}
