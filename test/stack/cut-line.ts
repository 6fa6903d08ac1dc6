import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Where a connection is cut: before anything comes back, or once so many bytes have gone to the callee. Or B's signature is damaged. */
export type Cut = 'before the answer' | 'damaged signature' | { readonly afterBytes: number };

/** A TCP line that can be told to break connections for streams between the Derivers; other connections pass. */
export class CutLine {
  readonly port: number;
  /** What happens to the next streams, one each. */
  readonly cuts: Cut[] = [];
  /** Requests for a stream so far. */
  streams = 0;
  /** What followed the last one of them, in bytes. */
  followingBytes = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, calleePort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (caller) => this.#carry(caller, calleePort));
  }

  static async open(calleePort: number): Promise<CutLine> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new CutLine(server, calleePort);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #carry(caller: Socket, calleePort: number): void {
    const callee = connect(calleePort, '127.0.0.1');
    const cutOff = (): void => {
      caller.resetAndDestroy();
      callee.resetAndDestroy();
    };
    let cut: Cut | undefined;
    for (const socket of [caller, callee]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const other of [caller, callee]) other.destroy();
      });
    }
    caller.on('data', (chunk) => {
      if (chunk.toString('latin1').startsWith('GET /stream')) {
        this.streams++;
        cut = this.cuts.shift();
        this.followingBytes = -chunk.length;
      }
      this.followingBytes += chunk.length;
      callee.write(chunk);
      if (typeof cut === 'object' && this.followingBytes > cut.afterBytes) cutOff();
    });
    callee.on('data', (chunk) => {
      if (cut === 'before the answer') cutOff();
      else caller.write(cut === 'damaged signature' ? damaged(chunk) : chunk);
    });
  }
}

/** Changes the first character of the signature with which B answers for the opening. */
function damaged(chunk: Buffer): Buffer {
  const text = chunk.toString('latin1');
  const change = (_: string, before: string, first: string): string => before + (first === 'A' ? 'B' : 'A');
  return Buffer.from(text.replace(/(x-yao-opened: Bearer [\w-]+\.[\w-]+\.)([\w-])/i, change), 'latin1');
}
