import { type Handler, type Limit, limitsOf, limitsToJson, type RoleSurroundings } from '@streaming-yao/ceremony/role';
import { errorFromBody, LIMITS, toBase64Url, YaoError } from '@streaming-yao/core';
import { pinnedKey, type Role } from '@streaming-yao/wire';
import { askerOf } from './asker.ts';
import { checkCallToken, issueCallToken } from './call-token.ts';
import type { RoleConfig } from './config.ts';
import { forBrowsers, preflight } from './cors.ts';
import { type Forwarded, forwardedHeaders } from './forwarded.ts';
import {
  accepted,
  answering,
  type Method,
  parseJson,
  prefersAsync,
  readBody,
  requireJson,
  requireMethod,
  respond,
} from './http.ts';
import { idempotencyName, readIdempotencyKey } from './idempotency.ts';
import { logFault } from './log.ts';
import { Metrics } from './metrics.ts';
import { checkReadiness, HEALTH_PATH, isMonitor, METRICS_PATH, READINESS_PATH } from './monitoring.ts';
import { pageFile } from './page.ts';
import { OPENED_HEADER, OPENING_HEADER, readOpening, STREAM_PATH } from './peers.ts';
import { type ExecutionContext, withUpgradeHeaders } from './platform.ts';
import type { RoleDefinition, RoleEnvironment } from './role.ts';
import { createRuntime } from './runtime.ts';
import { objectNames, objectOfWallet, shardName } from './sharding.ts';
import { signingKeyOf } from './signatures.ts';

/** A module Worker as the platform drives it. */
export interface RoleWorker {
  fetch(request: Request, environment: RoleEnvironment, context: ExecutionContext): Promise<Response>;
}

/**
 * The entry of a role: refuses what is malformed or carries no token of the right caller, and hands the rest to the object
 * that answers for the wallet.
 */
export function createRoleWorker<S extends RoleSurroundings>(
  definition: RoleDefinition<S>,
  configOf: (environment: RoleEnvironment) => RoleConfig,
): RoleWorker {
  const memory = new Map<string, unknown>();
  const metrics = new Metrics([...Object.keys(definition.handlers), STREAM_PATH, HEALTH_PATH]);
  return {
    fetch: async (request, environment, context) => {
      const url = new URL(request.url);
      let admission: RoleConfig['admission'];
      const answer = answering(request, methodOf(definition, url.pathname), async () => {
        const config = configOf(environment);
        admission = config.admission;
        const asked = admission && preflight(request, admission);
        const parts = { request, url, environment, context, config, memory, metrics };
        return asked ?? new Exchange(definition, parts).response();
      });
      const response = await answer;
      metrics.count(url.pathname, response.status);
      return definition.role === 'router' ? forBrowsers(response, request, admission) : response;
    },
  };
}

/** Of every role, beside what its handlers answer. */
const OWN_PATHS: readonly string[] = [HEALTH_PATH, READINESS_PATH, METRICS_PATH, STREAM_PATH];

function methodOf<S extends RoleSurroundings>({ handlers }: RoleDefinition<S>, path: string): Method {
  if (OWN_PATHS.includes(path)) return 'GET';
  return (Object.hasOwn(handlers, path) && handlers[path]?.method) || 'POST';
}

interface ExchangeParts {
  readonly request: Request;
  readonly url: URL;
  readonly environment: RoleEnvironment;
  readonly context: ExecutionContext;
  readonly config: RoleConfig;
  /** Of the Worker: programs that run here share it. */
  readonly memory: Map<string, unknown>;
  readonly metrics: Metrics;
}

const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };

/** One request on its way through a role's Worker. */
class Exchange<S extends RoleSurroundings> {
  readonly #definition: RoleDefinition<S>;
  readonly #parts: ExchangeParts;
  readonly #url: URL;

  constructor(definition: RoleDefinition<S>, parts: ExchangeParts) {
    this.#definition = definition;
    this.#parts = parts;
    this.#url = parts.url;
  }

  async response(): Promise<Response> {
    const { role, handlers } = this.#definition;
    const { pathname } = this.#url;
    if (pathname === HEALTH_PATH) return this.#health();
    if (pathname === METRICS_PATH || pathname === READINESS_PATH) return this.#monitored(pathname);
    if (pathname === STREAM_PATH && role === 'deriver-b') return this.#stream();
    const handler = Object.hasOwn(handlers, pathname) ? handlers[pathname] : undefined;
    if (handler && handler.internal === undefined) return this.#answer(handler);
    const file = await pageFile(this.#parts.request, this.#parts.environment.PAGE);
    if (file) return file;
    throw new YaoError('unknown_route', `${role} has no ${pathname.slice(0, 100)}`);
  }

  #health(): Response {
    requireMethod(this.#parts.request, 'GET');
    const { role, pins } = this.#parts.config;
    return respond(accepted({ role, ready: true, deployment: pins.deployment, profile: pins.profile }));
  }

  /** Whoever may not ask is answered as if there were nothing. */
  async #monitored(path: string): Promise<Response> {
    const { request, config, environment, metrics } = this.#parts;
    if (!isMonitor(request, config)) throw new YaoError('unknown_route', `${config.role} has no ${path}`);
    requireMethod(request, 'GET');
    if (path === METRICS_PATH) return new Response(metrics.text(config.role), { headers: METRICS_HEADERS });
    await checkReadiness(config, environment);
    return this.#health();
  }

  async #answer(handler: Handler<S>): Promise<Response> {
    const { request } = this.#parts;
    const bodiless = handler.method === 'GET';
    requireMethod(request, handler.method ?? 'POST');
    if (!bodiless) requireJson(request);
    const bytes = await readBody(request, bodiless ? 0 : (handler.bodyBytes ?? LIMITS.bodyBytes));
    if (handler.caller) await this.#checkCaller(handler.caller, bytes);
    const body = bodiless ? undefined : parseJson(bytes);
    const forwarded = await this.#admit(handler, body);
    const objects = this.#objects(handler, body, forwarded);
    if (objects.length === 0) return this.#answerHere(handler, body, forwarded);
    const init = { method: 'POST', headers: forwardedHeaders(forwarded), body: bytes as BodyInit };
    const responses = await Promise.all(objects.map((name) => this.#toObject(name, this.#url.pathname, init)));
    return (responses.find(({ ok }) => !ok) ?? responses.at(-1)) as Response;
  }

  /**
   * Who asks and how often, at the Router; other roles let in whoever has a call token.
   * @throws YaoError `app_token_invalid`, `rate_limited`, `invalid_request`
   */
  async #admit(handler: Handler<S>, body: unknown): Promise<Forwarded> {
    const { request, config } = this.#parts;
    const { admission } = config;
    if (!admission || !handler.concern) return { asker: {} };
    const concern = handler.concern(body);
    // Reading a body once more takes its time, so that it is put off until somebody wants to know.
    const about = (): string => (handler.wallet ?? handler.about)?.(body) ?? '';
    const asker = await askerOf(request, admission, concern, about);
    const limits = limitsOf(admission.rules, concern, asker);
    if (limits.length > 0) await this.#count(limits, handler.keepsLater ?? false);
    const key = readIdempotencyKey(request);
    return {
      asker,
      keptAs: key === undefined ? undefined : idempotencyName(about(), this.#url.pathname, key),
      deferring: handler.accept !== undefined && prefersAsync(request),
    };
  }

  /** In one object for all: what is counted at two places is not counted. */
  async #count(limits: readonly Limit[], writtenLater: boolean): Promise<void> {
    const init = { method: 'POST', body: JSON.stringify(limitsToJson(limits, writtenLater)) };
    const response = await this.#toObject('admission', '/admit', init);
    const answer: unknown = await response.json();
    if (!response.ok) throw errorFromBody(answer, 'router');
  }

  /** A request whose answer is kept needs an object, also where it would be answered right here. */
  #objects(handler: Handler<S>, body: unknown, { keptAs }: Forwarded): readonly string[] {
    const { config } = this.#parts;
    const objects = objectNames(handler, body, config);
    if (objects.length > 0 || keptAs === undefined) return objects;
    return [objectOfWallet(handler.about?.(body) ?? '', config)];
  }

  async #answerHere(handler: Handler<S>, body: unknown, { asker }: Forwarded): Promise<Response> {
    const { config, environment, context, memory } = this.#parts;
    const keepAlive = (promise: Promise<unknown>): void => context.waitUntil(promise);
    const runtime = createRuntime(this.#definition, config, environment, { shard: 0, memory, keepAlive });
    const response = respond(await runtime.answer(this.#url.pathname, handler, body, asker));
    const { cacheSeconds } = handler;
    if (cacheSeconds !== undefined && response.ok) response.headers.set('cache-control', `public, max-age=${cacheSeconds}`);
    return response;
  }

  async #stream(): Promise<Response> {
    const { request, config } = this.#parts;
    const { searchParams, pathname, search } = this.#url;
    requireMethod(request, 'GET');
    if (request.headers.get('upgrade') !== 'websocket') throw new YaoError('invalid_request', 'open a WebSocket here');
    const opening = readOpening(request);
    await this.#checkCaller('deriver-a', opening);
    const ceremony = searchParams.get('ceremony') ?? '';
    const shard = searchParams.get('shard') ?? '';
    if (!/^[0-9a-f]{64}$/.test(ceremony) || !/^\d{1,4}$/.test(shard)) {
      throw new YaoError('invalid_request', 'a stream names its ceremony (64 hexadecimal digits) and shard', {
        party: 'deriver-a',
      });
    }
    const headers = { upgrade: 'websocket', [OPENING_HEADER]: toBase64Url(opening) };
    const [opened, response] = await Promise.all([
      this.#opened(opening),
      this.#toObject(shardName(Number(shard), config), pathname + search, { headers }),
    ]);
    return withUpgradeHeaders(response, { [OPENED_HEADER]: opened });
  }

  /** The own signature under an opening that Deriver A has made just now. */
  async #opened(opening: Uint8Array): Promise<string> {
    const { config } = this.#parts;
    const path = this.#url.pathname + this.#url.search;
    const answer = { kind: 'stream-answer', caller: config.role, audience: 'deriver-a', path, body: opening } as const;
    return issueCallToken(answer, await signingKeyOf(config.signingKey), Date.now());
  }

  async #checkCaller(caller: Role, body: Uint8Array): Promise<void> {
    const { request, config } = this.#parts;
    const path = this.#url.pathname + this.#url.search;
    const call = { kind: 'call', caller, audience: config.role, path, body } as const;
    await checkCallToken(call, request.headers.get('authorization'), pinnedKey(config.pins, caller), Date.now());
  }

  async #toObject(name: string, path: string, init: RequestInit): Promise<Response> {
    const { OBJECTS } = this.#parts.environment;
    const { role } = this.#definition;
    const object = OBJECTS.get(OBJECTS.idFromName(name)) as unknown as { fetch: typeof fetch };
    try {
      return await object.fetch(`http://object${path}`, init);
    } catch (error) {
      logFault({ event: 'fault', role, path: this.#url.pathname }, error);
      throw new YaoError('busy', `${role} is overloaded or was restarted; try again in a moment`, { party: role });
    }
  }
}
