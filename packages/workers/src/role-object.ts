import type { Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { LIMITS, YaoError } from '@streaming-yao/core';
import { SocketChannel } from './channel.ts';
import { readConfig } from './config.ts';
import { type Answer, answering, deferred, parseJson, prefersAsync, readBody, refused, respond } from './http.ts';
import { STREAM_PATH } from './peers.ts';
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

    constructor(state: DurableObjectState, environment: RoleEnvironment) {
      this.#state = state;
      this.#environment = environment;
      this.#store = new RecordStore(state.storage);
    }

    fetch(request: Request): Promise<Response> {
      const url = new URL(request.url);
      return answering(request, 'POST', async () => {
        if (url.pathname === STREAM_PATH) return this.#stream(url);
        const handler = definition.handlers[url.pathname] as Handler<S>;
        const bytes = await readBody(request, handler.bodyBytes ?? LIMITS.bodyBytes);
        const body = bytes.length > 0 ? parseJson(bytes) : undefined;
        const { accept } = handler;
        if (!accept || !prefersAsync(request)) return respond(await this.#share(url.pathname, handler, body));
        const answer = await this.#answer(url.pathname, { ...handler, program: accept }, body);
        return respond(answer.status === 200 ? deferred(answer) : answer);
      });
    }

    async alarm(): Promise<void> {
      this.#store.deleteDue(Date.now());
    }

    #stream(url: URL): Response {
      const ceremonyId = url.searchParams.get('ceremony') ?? '';
      this.#streams.admit(ceremonyId);
      const { response, socket } = upgrade();
      this.#streams.arrive(ceremonyId, new SocketChannel(socket, 'deriver-a'));
      return response;
    }

    /** Requests with one join key share one run and its answer. */
    #share(path: string, handler: Handler<S>, body: unknown): Promise<Answer> {
      const key = handler.joinKey && `${path} ${handler.joinKey(body)}`;
      if (key === undefined) return this.#answer(path, handler, body);
      const joined = this.#joined.get(key);
      if (joined) return joined;
      const answer = this.#answer(path, handler, body).finally(() => this.#joined.delete(key));
      this.#joined.set(key, answer);
      return answer;
    }

    async #answer(path: string, handler: Handler<S>, body: unknown): Promise<Answer> {
      if (this.#running >= LIMITS.concurrentRequests) {
        return refused(new YaoError('busy', 'too many requests at once; try again in a moment', { party: definition.role }));
      }
      this.#running++;
      try {
        this.#runtime ??= this.#start();
        return await this.#runtime.answer(path, handler, body);
      } finally {
        this.#running--;
      }
    }

    #start(): Runtime<S> {
      const config = readConfig(definition.role, this.#environment as unknown as Record<string, unknown>);
      return createRuntime(definition, config, this.#environment, {
        shard: shardOfName(this.#state.id.name),
        memory: new Map(),
        object: { store: this.#store, streams: this.#streams },
        keepAlive: (promise) => this.#state.waitUntil(promise),
      });
    }
  };
}
