import { setImmediate } from 'node:timers';
import type { Socket } from '@streaming-yao/workers/platform';

/** Frames between garbler and evaluator, whatever carries them. */
export interface Line {
  /** Resolves when the carrier has taken the frame. */
  send(frame: Uint8Array): Promise<void> | undefined;
  next(): Promise<Uint8Array>;
  close(): void;
}

/** One turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One message is one frame. */
export class SocketLine implements Line {
  readonly #socket: Socket;
  readonly #arrived: Uint8Array[] = [];
  #waiting: { readonly take: (frame: Uint8Array) => void; readonly fail: (error: Error) => void } | undefined;
  #closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      const frame = new Uint8Array(data as ArrayBuffer);
      if (this.#waiting) this.#waiting.take(frame);
      else this.#arrived.push(frame);
      this.#waiting = undefined;
    });
    socket.addEventListener('close', () => this.close());
    socket.addEventListener('error', () => this.close());
    socket.accept();
  }

  send(frame: Uint8Array): undefined {
    this.#socket.send(frame as BufferSource);
  }

  next(): Promise<Uint8Array> {
    const frame = this.#arrived.shift();
    if (frame) return Promise.resolve(frame);
    return new Promise((take, fail) => {
      if (this.#closed) fail(new Error('the socket was closed'));
      else this.#waiting = { take, fail };
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting?.fail(new Error('the socket was closed'));
    this.#socket.close(1000);
  }
}

interface ByteReader {
  readAtLeast(bytes: number, into: Uint8Array): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
}

const LENGTH_BYTES = 4;

/** Two byte streams, in which a frame has its length before it: streams keep no borders. */
export class StreamLine implements Line {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ByteReader;

  constructor(outgoing: WritableStream<Uint8Array>, incoming: ReadableStream<Uint8Array>) {
    this.#writer = outgoing.getWriter();
    this.#reader = incoming.getReader({ mode: 'byob' }) as unknown as ByteReader;
  }

  send(frame: Uint8Array): Promise<void> {
    const message = new Uint8Array(LENGTH_BYTES + frame.length);
    new DataView(message.buffer).setUint32(0, frame.length);
    message.set(frame, LENGTH_BYTES);
    return this.#writer.write(message);
  }

  async next(): Promise<Uint8Array> {
    const length = await this.#read(LENGTH_BYTES);
    return this.#read(new DataView(length.buffer).getUint32(0));
  }

  async #read(bytes: number): Promise<Uint8Array> {
    const { value } = await this.#reader.readAtLeast(bytes, new Uint8Array(bytes));
    if (value?.length !== bytes) throw new Error('the stream has ended');
    return value;
  }

  close(): void {
    this.#writer.close().catch(() => undefined);
  }
}

declare const IdentityTransformStream: new () => {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
};

/** What is written to the one end is read at the other, with back pressure. */
export const byteStream = (): InstanceType<typeof IdentityTransformStream> => new IdentityTransformStream();
