import type { Socket } from 'node:net';

const LENGTH_BYTES = 4;
/** The longest frame here, so that a wrong length does not allocate anything. */
const MAX_BYTES = 65_536;

/** Frames on a byte stream: a length of four bytes, then the payload. */
export class Frames {
  readonly #socket: Socket;
  readonly #arrived: Uint8Array[] = [];
  #waiting: ((frame: Uint8Array) => void) | undefined;
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  #headerFilled = 0;
  #payload: Uint8Array | undefined;
  #payloadFilled = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#accept(chunk));
  }

  /** Resolves when the system has taken the payload, so that its buffer can be used again. */
  send(payload: Uint8Array): Promise<void> {
    const header = Buffer.alloc(LENGTH_BYTES);
    header.writeUInt32LE(payload.length);
    this.#socket.cork();
    this.#socket.write(header);
    return new Promise((resolve, reject) => {
      this.#socket.write(payload, (error) => (error ? reject(error) : resolve()));
      this.#socket.uncork();
    });
  }

  next(): Promise<Uint8Array> {
    const frame = this.#arrived.shift();
    if (frame) return Promise.resolve(frame);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #accept(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      at += this.#payload ? this.#fillPayload(this.#payload, chunk.subarray(at)) : this.#fillHeader(chunk.subarray(at));
      if (this.#payload && this.#payloadFilled === this.#payload.length) this.#deliver(this.#payload);
    }
  }

  #fillHeader(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, LENGTH_BYTES - this.#headerFilled);
    this.#header.set(taken, this.#headerFilled);
    this.#headerFilled += taken.length;
    if (this.#headerFilled < LENGTH_BYTES) return taken.length;
    const length = this.#header.readUInt32LE();
    if (length > MAX_BYTES) throw new Error(`a frame of ${length} bytes was announced`);
    this.#payload = new Uint8Array(length);
    this.#payloadFilled = 0;
    return taken.length;
  }

  #fillPayload(payload: Uint8Array, bytes: Uint8Array): number {
    const taken = bytes.subarray(0, payload.length - this.#payloadFilled);
    payload.set(taken, this.#payloadFilled);
    this.#payloadFilled += taken.length;
    return taken.length;
  }

  #deliver(frame: Uint8Array): void {
    this.#payload = undefined;
    this.#headerFilled = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(frame);
    else this.#arrived.push(frame);
  }
}
