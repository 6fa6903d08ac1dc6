import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What is done with the two ends of each connection over a line. */
export type Carry = (caller: Socket, callee: Socket) => void;

/** Sits on the TCP line to a port of this machine. */
export class TcpLine {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, calleePort: number, carry: Carry) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (caller) => {
      const callee = connect({ port: calleePort, host: '127.0.0.1', noDelay: true });
      for (const socket of [caller, callee]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.#sockets.delete(socket));
      }
      carry(caller, callee);
    });
  }

  static async open(calleePort: number, carry: Carry): Promise<TcpLine> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new TcpLine(server, calleePort, carry);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
