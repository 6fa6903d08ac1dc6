import type { Effect, PeerRole } from '@streaming-yao/ceremony/program';
import { errorFromBody, fromBase64Url, LIMITS, toBase64Url, utf8, YaoError } from '@streaming-yao/core';
import { type Pins, pinnedKey, type Role } from '@streaming-yao/wire';
import { checkCallToken, issueCallToken } from './call-token.ts';
import { SocketChannel } from './channel.ts';
import type { RoleBinding, UpgradeResponse } from './platform.ts';

export const STREAM_PATH = '/stream';

/** The opening of a stream, its first frame, in base64url: A's token is about it, and the ticket in it is good for one stream. */
export const OPENING_HEADER = 'x-yao-opening';
/** B's answer to the opening, a token like A's: A sends nothing before it has seen it. */
export const OPENED_HEADER = 'x-yao-opened';

export interface PeersOptions {
  readonly self: Role;
  readonly pins: Pins;
  readonly signingKey: () => Promise<CryptoKey>;
  readonly bindings: Readonly<Partial<Record<PeerRole, RoleBinding>>>;
}

/** @throws YaoError `invalid_request` */
export function readOpening(request: Request): Uint8Array {
  const opening = fromBase64Url((request.headers.get(OPENING_HEADER) ?? '').slice(0, 2 * LIMITS.openingBytes));
  if (opening.length > 0 && opening.length <= LIMITS.openingBytes) return opening;
  throw new YaoError('invalid_request', `a stream is opened with 1 to ${LIMITS.openingBytes} bytes`, { party: 'deriver-a' });
}

type Opening = Extract<Effect, { kind: 'connect' }>;

/** The other roles, as far as this one may call them. */
export class Peers {
  readonly #options: PeersOptions;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** @throws the YaoError that the role answered with; `peer_failed`, `deadline_exceeded` */
  async call(role: PeerRole, path: string, body: unknown, deadlineMs: number): Promise<unknown> {
    const bytes = utf8(JSON.stringify(body));
    const headers = { 'content-type': 'application/json', authorization: await this.#authorization(role, path, bytes) };
    return withDeadline(role, deadlineMs, CALL_PAUSES_MS, async (signal) => {
      const init = { method: 'POST', headers, body: bytes as BodyInit, signal };
      const response = await this.#binding(role).fetch(`http://${role}${path}`, init);
      const answer: unknown = await response.json();
      if (!response.ok) throw errorFromBody(answer, role);
      return answer;
    });
  }

  /**
   * Opens the frame stream to object `shard` of Deriver B. A request for it that breaks off is made again, with the same opening,
   * as long as B has time to come back.
   * @throws the YaoError that B answered with; `peer_failed`, also for an answer that is not signed by B, `deadline_exceeded`
   */
  async connect({ ceremonyId, shard, opening, deadlineMs }: Opening): Promise<SocketChannel> {
    const role = 'deriver-b';
    const path = `${STREAM_PATH}?ceremony=${ceremonyId}&shard=${shard}`;
    const headers = {
      upgrade: 'websocket',
      authorization: await this.#authorization(role, path, opening),
      [OPENING_HEADER]: toBase64Url(opening),
    };
    return withDeadline(role, deadlineMs, DIAL_PAUSES_MS, async (signal) => {
      const response = await this.#binding(role).fetch(`http://${role}${path}`, { headers, signal });
      const { webSocket } = response as UpgradeResponse;
      if (!webSocket) throw errorFromBody(await response.json(), role);
      const channel = new SocketChannel(webSocket, role);
      await this.#checkOpened(path, opening, response.headers.get(OPENED_HEADER)).catch((error: unknown) => {
        channel.close();
        throw error;
      });
      return channel;
    });
  }

  async #checkOpened(path: string, opening: Uint8Array, token: string | null): Promise<void> {
    const { self, pins } = this.#options;
    const answer = { kind: 'stream-answer', caller: 'deriver-b', audience: self, path, body: opening } as const;
    await checkCallToken(answer, token, pinnedKey(pins, 'deriver-b'), Date.now()).catch(() => {
      throw new YaoError('peer_failed', 'whoever answers for deriver-b has not signed with its pinned key', {
        party: 'deriver-b',
      });
    });
  }

  async #authorization(audience: PeerRole, path: string, body: Uint8Array): Promise<string> {
    const call = { kind: 'call', caller: this.#options.self, audience, path, body } as const;
    return issueCallToken(call, await this.#options.signingKey(), Date.now());
  }

  #binding(role: PeerRole): RoleBinding {
    const binding = this.#options.bindings[role];
    if (!binding) throw new YaoError('internal', `${this.#options.self} has no binding to ${role}`);
    return binding;
  }
}

/** The pauses let the platform notice which connections are closed. */
const CALL_PAUSES_MS = [5, 5];
/** The last ones are long enough for a role to be started again. */
const DIAL_PAUSES_MS = [5, 20, 80, 320, 1_000];

/**
 * The other end closes connections that have been idle, sometimes just when requests leave on them, and several at once. Whatever
 * one role calls of another may come twice (docs/protocol.md section 8), so it is sent again, as RFC 9110 section 9.2.2 allows.
 */
async function sendingAgain<T>(
  signal: AbortSignal,
  pausesMs: readonly number[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work(signal);
    } catch (error) {
      if (error instanceof YaoError || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return work(signal);
}

/** Runs `work` until `deadlineMs`; afterwards its signal no longer fires, so that a stream it opened outlives the deadline. */
async function withDeadline<T>(
  role: PeerRole,
  deadlineMs: number,
  pausesMs: readonly number[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = (): YaoError => new YaoError('deadline_exceeded', `${role} did not answer in time`, { party: role });
  const timer = setTimeout(() => controller.abort(late()), Math.max(0, deadlineMs - Date.now()));
  try {
    return await sendingAgain(controller.signal, pausesMs, work);
  } catch (error) {
    if (controller.signal.aborted) throw late();
    if (error instanceof YaoError) throw error;
    throw new YaoError('peer_failed', `${role} could not be reached or broke off`, { party: role });
  } finally {
    clearTimeout(timer);
  }
}
