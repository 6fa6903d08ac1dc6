import type { PeerRole } from '@streaming-yao/ceremony/program';
import { errorFromBody, utf8, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import { issueCallToken } from './call-token.ts';
import { SocketChannel } from './channel.ts';
import type { RoleBinding, UpgradeResponse } from './platform.ts';

export const STREAM_PATH = '/stream';

export interface PeersOptions {
  readonly self: Role;
  readonly signingKey: () => Promise<CryptoKey>;
  readonly bindings: Readonly<Partial<Record<PeerRole, RoleBinding>>>;
}

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
    return withDeadline(role, deadlineMs, async (signal) => {
      const init = { method: 'POST', headers, body: bytes as BodyInit, signal };
      const response = await this.#binding(role).fetch(`http://${role}${path}`, init);
      const answer: unknown = await response.json();
      if (!response.ok) throw errorFromBody(answer, role);
      return answer;
    });
  }

  /** Opens the frame stream to object `shard` of Deriver B. */
  async connect(ceremonyId: string, shard: number, deadlineMs: number): Promise<SocketChannel> {
    const role = 'deriver-b';
    const path = `${STREAM_PATH}?ceremony=${ceremonyId}&shard=${shard}`;
    const headers = { upgrade: 'websocket', authorization: await this.#authorization(role, path, new Uint8Array(0)) };
    return withDeadline(role, deadlineMs, async (signal) => {
      const response = await this.#binding(role).fetch(`http://${role}${path}`, { headers, signal });
      const { webSocket } = response as UpgradeResponse;
      if (webSocket) return new SocketChannel(webSocket, role);
      throw errorFromBody(await response.json(), role);
    });
  }

  async #authorization(audience: PeerRole, path: string, body: Uint8Array): Promise<string> {
    const call = { caller: this.#options.self, audience, path, body };
    return `Bearer ${await issueCallToken(call, await this.#options.signingKey(), Date.now())}`;
  }

  #binding(role: PeerRole): RoleBinding {
    const binding = this.#options.bindings[role];
    if (!binding) throw new YaoError('internal', `${this.#options.self} has no binding to ${role}`);
    return binding;
  }
}

/** Times that a call is sent; the pauses between them let the platform notice which connections are closed. */
const SENDINGS = 3;
const PAUSE_MS = 5;

/**
 * The other end closes connections that have been idle, sometimes just when requests leave on them, and several at once. Whatever
 * one role calls of another may come twice (docs/protocol.md section 8), so it is sent again, as RFC 9110 section 9.2.2 allows.
 */
async function sendingAgain<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  for (let sent = 1; ; sent++) {
    try {
      return await work(signal);
    } catch (error) {
      if (error instanceof YaoError || signal.aborted || sent === SENDINGS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Runs `work` until `deadlineMs`; afterwards its signal no longer fires, so that a stream it opened outlives the deadline. */
async function withDeadline<T>(role: PeerRole, deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = new YaoError('deadline_exceeded', `${role} did not answer in time`, { party: role });
  const timer = setTimeout(() => controller.abort(late), Math.max(0, deadlineMs - Date.now()));
  try {
    return await sendingAgain(controller.signal, work);
  } catch (error) {
    if (controller.signal.aborted) throw late;
    if (error instanceof YaoError) throw error;
    throw new YaoError('peer_failed', `${role} could not be reached or broke off`, { party: role });
  } finally {
    clearTimeout(timer);
  }
}
