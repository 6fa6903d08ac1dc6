import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Role } from '@streaming-yao/wire';

/** A step of a role: the how-many-th of its kind since the walk began to count. */
export interface Step {
  readonly role: Role;
  readonly kind: string;
  readonly occurrence: number;
}

export const nameOf = ({ role, kind, occurrence }: Step): string => `${role}: ${kind} (${occurrence})`;

/** Gives held roles leave to take their steps, counts these, and stops a role at one of them. */
export class Control {
  readonly port: number;
  readonly #server: Server;
  readonly #steps: Step[] = [];
  #counting = false;
  #awaited: { readonly name: string; readonly reached: () => Promise<void> } | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await this.#step(JSON.parse(Buffer.concat(chunks).toString()) as { role: Role; step: string });
      response.writeHead(204).end();
    });
  }

  static async open(): Promise<Control> {
    const server = createServer({ keepAliveTimeout: 0 });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Control(server);
  }

  async #step({ role, step }: { readonly role: Role; readonly step: string }): Promise<void> {
    if (!this.#counting) return;
    const occurrence = this.#steps.filter((taken) => taken.role === role && taken.kind === step).length;
    const taken = { role, kind: step, occurrence };
    this.#steps.push(taken);
    const awaited = this.#awaited;
    if (awaited?.name !== nameOf(taken)) return;
    this.#awaited = undefined;
    await awaited.reached();
  }

  /** Begins to count. @param reached runs before `at` is taken; the role goes on when it has settled, if it still lives */
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
