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

/** Runs `work` until `deadlineMs`; afterwards its signal no longer fires, so that a stream it opened outlives the deadline. */
async function withDeadline<T>(role: PeerRole, deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = new YaoError('deadline_exceeded', `${role} did not answer in time`, { party: role });
  const timer = setTimeout(() => controller.abort(late), Math.max(0, deadlineMs - Date.now()));
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw late;
    if (error instanceof YaoError) throw error;
    throw new YaoError('peer_failed', `${role} could not be reached or broke off`, { party: role });
  } finally {
    clearTimeout(timer);
  }
}
