import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP line on which every byte travels for so many milliseconds, either way, however many are under way. */
export class DelayLine {
  readonly port: number;
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, calleePort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (caller) => this.#carry(caller, calleePort));
  }

  static async open(calleePort: number): Promise<DelayLine> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new DelayLine(server, calleePort);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #carry(caller: Socket, calleePort: number): void {
    const callee = connect({ port: calleePort, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      this.#sockets.add(from);
      const later = (act: () => void): void => {
        if (this.delayMs === 0) act();
        else setTimeout(act, this.delayMs);
      };
      from.on('data', (chunk) => later(() => to.write(chunk)));
      from.on('end', () => later(() => to.end()));
      from.on('close', () => {
        this.#sockets.delete(from);
        later(() => to.destroy());
      });
      from.on('error', () => undefined);
    }
  }
}
