import type { Socket } from 'node:net';
import { TcpLine } from '../../tools/tcp-line.ts';

/** Where a connection is cut: before anything comes back, or once so many bytes have gone to the callee. Or B's signature is damaged. */
export type Cut = 'before the answer' | 'damaged signature' | { readonly afterBytes: number };

/** A TCP line that can be told to break connections for streams between the Derivers; other connections pass. */
export class CutLine {
  /** What happens to the next streams, one each. */
  readonly cuts: Cut[] = [];
  /** Requests for a stream so far. */
  streams = 0;
  /** What followed the last one of them, in bytes. */
  followingBytes = 0;
  readonly #line: TcpLine;

  private constructor(line: TcpLine) {
    this.#line = line;
  }

  static async open(calleePort: number): Promise<CutLine> {
    const cutting: CutLine = new CutLine(await TcpLine.open(calleePort, (caller, callee) => cutting.#carry(caller, callee)));
    return cutting;
  }

  get port(): number {
    return this.#line.port;
  }

  close(): void {
    this.#line.close();
  }

  #carry(caller: Socket, callee: Socket): void {
    const cutOff = (): void => {
      caller.resetAndDestroy();
      callee.resetAndDestroy();
    };
    let cut: Cut | undefined;
    caller.on('close', () => callee.destroy());
    callee.on('close', () => caller.destroy());
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

/** Changes a character of the signature with which B answers for the opening: it is the end of a token. */
function damaged(chunk: Buffer): Buffer {
  const text = chunk.toString('latin1');
  const change = (_: string, before: string, character: string): string => before + (character === 'A' ? 'B' : 'A');
  return Buffer.from(text.replace(/(x-yao-opened: Bearer [\w-]+)([\w-])(?=[\w-]{40}\r)/i, change), 'latin1');
}
