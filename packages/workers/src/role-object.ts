import type { Asker, Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { fromBase64Url, LIMITS, YaoError } from '@streaming-yao/core';
import { SocketChannel } from './channel.ts';

import type { RoleConfig } from './config.ts';
import { readForwarded } from './forwarded.ts';
import { type Answer, answering, deferred, parseJson, readBody, refused, respond } from './http.ts';
import { IdempotentAnswers } from './idempotency.ts';

import { OPENING_HEADER, STREAM_PATH } from './peers.ts';
import { type DurableObjectState, upgrade } from './platform.ts';
import type { RoleDefinition, RoleEnvironment } from './role.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { shardOfName } from './sharding.ts';
import { RecordStore } from './storage.ts';
import { ArrivedStreams } from './streams.ts';

/** A Durable Object as the platform drives it. */
export interface RoleObject {
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
}

/** The Durable Object of a role: runs its programs on one object's storage, one memory and one set of streams. */
export function createRoleObject<S extends RoleSurroundings>(
  definition: RoleDefinition<S>,
  configOf: (environment: RoleEnvironment) => RoleConfig,
): new (
  state: DurableObjectState,
  environment: RoleEnvironment,
) => RoleObject {
  return class implements RoleObject {
    readonly #state: DurableObjectState;
    readonly #environment: RoleEnvironment;
    readonly #store: RecordStore;
    readonly #streams = new ArrivedStreams();
    readonly #joined = new Map<string, Promise<Answer>>();
    #running = 0;
    #runtime: Runtime<S> | undefined;
    #idempotent: IdempotentAnswers | undefined;

    constructor(state: DurableObjectState, environment: RoleEnvironment) {
      this.#state = state;
      this.#environment = environment;
      this.#store = new RecordStore(state.storage);
    }

    fetch(request: Request): Promise<Response> {
      const url = new URL(request.url);
      return answering(request, 'POST', async () => {
        if (url.pathname === STREAM_PATH) return this.#stream(url, request);
        const handler = definition.handlers[url.pathname] as Handler<S>;
        const bytes = await readBody(request, handler.bodyBytes ?? LIMITS.bodyBytes);
        const body = bytes.length > 0 ? parseJson(bytes) : undefined;
        const { asker, keptAs, deferring } = readForwarded(request);
        const run = () =>
          deferring ? this.#defer(url.pathname, handler, body, asker) : this.#share(url.pathname, handler, body, asker);
        return respond(await (keptAs === undefined ? run() : this.#once(keptAs, handler, bytes, run)));
      });
    }

    async alarm(): Promise<void> {
      this.#store.deleteDue(Date.now());
    }

    #stream(url: URL, request: Request): Response {
      const ceremonyId = url.searchParams.get('ceremony') ?? '';
      this.#streams.admit(ceremonyId);
      const { response, socket } = upgrade();
      const opening = fromBase64Url(request.headers.get(OPENING_HEADER) ?? '');
      const channel = new SocketChannel(socket, 'deriver-a', [opening]);
      // The ceremony that waits for it computes for a while and writes: the answer leaves before, and A sends meanwhile.
      setTimeout(() => this.#streams.arrive(ceremonyId, channel), 0);
      return response;
    }

    /** Requests with one idempotency key get one answer. */
    #once(name: string, handler: Handler<S>, body: Uint8Array, run: () => Promise<Answer>): Promise<Answer> {
      this.#idempotent ??= new IdempotentAnswers(this.#store, configOf(this.#environment).settings.idempotencyLifeMs);
      return this.#idempotent.answer({ name, body, keepsLater: handler.keepsLater ?? false }, run);
    }

    /** Takes a request on and answers before it is carried out. */
    async #defer(path: string, handler: Handler<S>, body: unknown, asker: Asker): Promise<Answer> {
      const answer = await this.#answer(path, { ...handler, program: handler.accept ?? handler.program }, body, asker);
      return answer.status === 200 ? deferred(answer) : answer;
    }

    /** Requests with one join key share one run and its answer. */
    #share(path: string, handler: Handler<S>, body: unknown, asker: Asker): Promise<Answer> {
      const key = handler.joinKey && `${path} ${handler.joinKey(body)}`;
      if (key === undefined) return this.#answer(path, handler, body, asker);
      const joined = this.#joined.get(key);
      if (joined) return joined;
      const answer = this.#answer(path, handler, body, asker).finally(() => this.#joined.delete(key));
      this.#joined.set(key, answer);
      return answer;
    }

    async #answer(path: string, handler: Handler<S>, body: unknown, asker: Asker): Promise<Answer> {
      if (this.#running >= LIMITS.concurrentRequests) {
        return refused(new YaoError('busy', 'too many requests at once; try again in a moment', { party: definition.role }));
      }
      this.#running++;
      try {
        this.#runtime ??= this.#start();
        return await this.#runtime.answer(path, handler, body, asker);
      } finally {
        this.#running--;
      }
    }

    #start(): Runtime<S> {
      return createRuntime(definition, configOf(this.#environment), this.#environment, {
        shard: shardOfName(this.#state.id.name),
        memory: new Map(),
        object: { store: this.#store, streams: this.#streams },
        keepAlive: (promise) => this.#state.waitUntil(promise),
      });
    }
  };
}
