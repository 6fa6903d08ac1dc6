import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Role } from '@streaming-yao/wire';

/** Who takes steps: a role, the device that an operation is about, or the device that approves a link. */
export type Actor = Role | 'client' | 'approver';

/** A message or a write: the how-many-th of its kind since the walk began to count. */
export interface Step {
  readonly actor: Actor;
  readonly kind: string;
  readonly occurrence: number;
}

export const nameOf = ({ actor, kind, occurrence }: Step): string =>
  `${actor}: ${kind}${occurrence > 0 ? ` (${occurrence + 1})` : ''}`;

/** So long without a step, and what runs in the background is over. */
const QUIET_MS = 60;

/** Gives everybody leave to take a step, counts the steps, and runs something at one of them. */
export class Control {
  readonly port: number;
  readonly #server: Server;
  readonly #steps: Step[] = [];
  #counting = false;
  #lastAtMs = 0;
  #awaited: { readonly name: string; readonly reached: () => Promise<void> } | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    // A role that is killed leaves requests unfinished.
    server.on('request', (request, response) => void this.#answer(request, response).catch(() => response.destroy()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { role, kind } = JSON.parse(Buffer.concat(chunks).toString()) as { role: Role; kind: string };
    await this.step(role, kind);
    response.writeHead(204).end();
  }

  static async open(): Promise<Control> {
    const server = createServer({ keepAliveTimeout: 0 });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Control(server);
  }

  /** Settles when `actor` may go on. */
  async step(actor: Actor, kind: string): Promise<void> {
    this.#lastAtMs = performance.now();
    if (!this.#counting) return;
    const occurrence = this.#steps.filter((taken) => taken.actor === actor && taken.kind === kind).length;
    const taken = { actor, kind, occurrence };
    this.#steps.push(taken);
    const awaited = this.#awaited;
    if (awaited?.name !== nameOf(taken)) return;
    this.#awaited = undefined;
    await awaited.reached();
  }

  /** Settles when nobody has taken a step for a while: what earlier operations do in the background is not counted. */
  async quiet(): Promise<void> {
    while (performance.now() - this.#lastAtMs < QUIET_MS) await wait(QUIET_MS / 4);
  }

  /** Begins to count. @param reached runs before `at` is taken; its actor goes on when it has settled, if it still lives */
  begin(at?: Step, reached: () => Promise<void> = async () => undefined): void {
    this.#steps.length = 0;
    this.#counting = true;
    this.#awaited = at && { name: nameOf(at), reached };
  }

  /** @returns the steps that were taken, and whether the awaited one was among them */
  end(): { readonly steps: readonly Step[]; readonly reached: boolean } {
    this.#counting = false;
    const reached = this.#awaited === undefined;
    this.#awaited = undefined;
    return { steps: [...this.#steps], reached };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
