import type { Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { errorBody, LIMITS, utf8, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import type { Actor } from './actor.ts';
import type { RoleHandlers } from './handlers.ts';
import type { Answer, Request } from './network.ts';
import type { Exchange } from './observer.ts';
import type { Outcome, Task } from './strand.ts';

export interface RoleHostParts {
  readonly role: Role;
  readonly handlers: RoleHandlers;
  /** The object of that name, made when it is first asked for; without a name, what runs outside of the objects. */
  readonly object: (name: string) => Actor;
  readonly surroundings: (actor: Actor) => RoleSurroundings;
  readonly run: (actor: Actor, name: string, program: ReturnType<Handler<RoleSurroundings>['program']>) => Task;
  readonly exchanged: (exchange: Exchange) => void;
}

/** Takes a role's requests, finds the object that answers and runs the program, as the role's real host does. */
export class RoleHost {
  readonly #parts: RoleHostParts;

  constructor(parts: RoleHostParts) {
    this.#parts = parts;
  }

  serve(request: Request, respond: (answer: Answer) => void): void {
    let body: unknown;
    let task: Task;
    try {
      const handler = this.#handler(request);
      body = parse(request.bytes, handler.bodyBytes ?? LIMITS.bodyBytes);
      task = this.#run(request.path, handler, body);
    } catch (error) {
      respond(answerOf({ error }));
      return;
    }
    const forget = task.actor.onCrash(() => respond(undefined));
    task.whenEnded((outcome) => {
      forget();
      const { caller, role, path } = request;
      this.#parts.exchanged({ caller, role, path, request: body, answer: 'value' in outcome ? outcome.value : undefined });
      respond(answerOf(outcome));
    });
  }

  #handler({ role, path, method, caller }: Request): Handler<RoleSurroundings> {
    const { handlers } = this.#parts;
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (!handler) throw new YaoError('unknown_route', `${role} has no ${path}`);
    if ((handler.method ?? 'POST') !== method) throw new YaoError('unsupported_method', `${path} is not asked with ${method}`);
    if (handler.caller && handler.caller !== caller) throw new YaoError('grant_invalid', `${caller} may not ask ${path}`);
    return handler;
  }

  /** Requests with one join key share one run. */
  #run(path: string, handler: Handler<RoleSurroundings>, body: unknown): Task {
    const actor = this.#parts.object(objectName(this.#parts.role, handler, body));
    const key = handler.joinKey && `${path} ${handler.joinKey(body)}`;
    const joined = key === undefined ? undefined : actor.joined.get(key);
    if (joined) return joined;
    const task = this.#parts.run(actor, path, handler.program(this.#parts.surroundings(actor), body));
    if (key === undefined) return task;
    actor.joined.set(key, task);
    task.whenEnded(() => actor.joined.delete(key));
    return task;
  }
}

function objectName(role: Role, handler: Handler<RoleSurroundings>, body: unknown): string {
  const shard = handler.shard?.(body) ?? (handler.everyObject ? 0 : undefined);
  if (shard !== undefined) return shardName(shard);
  const wallet = handler.wallet?.(body);
  if (wallet === undefined) return '';
  return role === 'signing-worker' ? `wallet-${wallet}` : shardName(0);
}

/** A world has one object per role, the SigningWorker one per wallet. */
function shardName(shard: number): string {
  if (shard !== 0) throw new YaoError('invalid_request', `there is no object ${shard}`, { party: 'operator' });
  return 'shard-0';
}

function parse(bytes: Uint8Array, limit: number): unknown {
  if (bytes.length > limit) throw new YaoError('payload_too_large', `a body has at most ${limit} bytes`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new YaoError('invalid_json', 'the body is not JSON');
  }
}

function answerOf(outcome: Outcome): Answer {
  return 'error' in outcome
    ? { ok: false, bytes: utf8(JSON.stringify(errorBody(outcome.error))) }
    : { ok: true, bytes: utf8(JSON.stringify(outcome.value)) };
}
