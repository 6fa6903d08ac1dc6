import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex, Transform } from 'node:stream';
import { type FrameSplitter, splitFrames } from './websocket-frames.ts';

/** One thing that went past a tap, whole and in the clear. */
export interface Passage {
  readonly direction: 'to-callee' | 'to-caller';
  /** Path with query; head and headers stand before the body in `bytes`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What becomes of the bytes of one direction of a WebSocket; absent where they pass as they are. */
export type Meddling = (direction: Passage['direction']) => Transform | undefined;

/** Sits on the line between two roles, sees every HTTP message and WebSocket frame, and lets all of them pass unless it is told to meddle. */
export class Tap {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param meddling is asked once for each WebSocket */
  static async open(calleePort: number, saw: Saw, meddling?: () => Meddling | undefined): Promise<Tap> {
    const server = createServer((incoming, response) => {
      relay(calleePort, saw, incoming, response).catch(() => response.destroy());
    });
    server.on('upgrade', (incoming, socket, head) => relayUpgrade(calleePort, saw, incoming, socket, head, meddling?.()));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Tap(server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

type Saw = (passage: Passage) => void;

const headOf = (first: string, { rawHeaders }: IncomingMessage): Buffer =>
  Buffer.from(`${first}\r\n${rawHeaders.join('\r\n')}\r\n\r\n`);

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function relay(port: number, saw: Saw, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path = '/', headers } = incoming;
  const body = await bodyOf(incoming);
  saw({ direction: 'to-callee', path, bytes: Buffer.concat([headOf(`${method} ${path}`, incoming), body]) });
  const answer = await new Promise<IncomingMessage>((answered, failed) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, method, path, headers }, answered);
    outgoing.on('error', failed);
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  });
  const answered = await bodyOf(answer);
  saw({ direction: 'to-caller', path, bytes: Buffer.concat([headOf(`${answer.statusCode}`, answer), answered]) });
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders).end(answered);
}

function relayUpgrade(port: number, saw: Saw, incoming: IncomingMessage, caller: Duplex, head: Buffer, meddle?: Meddling): void {
  const { url: path = '/' } = incoming;
  // Compressed frames could not be searched.
  const { 'sec-websocket-extensions': _, ...headers } = incoming.headers;
  saw({ direction: 'to-callee', path, bytes: headOf(`GET ${path}`, incoming) });
  const outgoing = httpRequest({ host: '127.0.0.1', port, path, headers });
  outgoing.on('upgrade', (answer, callee, calleeHead) => {
    const lines = answer.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
    caller.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
    const watch = (direction: Passage['direction']): FrameSplitter => splitFrames((bytes) => saw({ direction, path, bytes }));
    pass(caller, callee, watch('to-callee'), head, meddle?.('to-callee'));
    pass(callee, caller, watch('to-caller'), calleeHead, meddle?.('to-caller'));
  });
  outgoing.on('response', (answer) => {
    caller.write(`HTTP/1.1 ${answer.statusCode} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n`);
    answer.on('data', (chunk) => caller.write(chunk));
    answer.on('end', () => caller.end());
  });
  outgoing.on('error', () => caller.destroy());
  outgoing.end();
}

function pass(from: Duplex, to: Duplex, watch: FrameSplitter, head: Buffer, through?: Transform): void {
  through?.on('data', (bytes) => to.write(bytes));
  const chunk = (bytes: Buffer): void => {
    watch(bytes);
    (through ?? to).write(bytes);
  };
  if (head.length > 0) chunk(head);
  from.on('data', chunk);
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
