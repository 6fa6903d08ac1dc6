import type { Socket } from 'node:net';
import { TcpLine } from '../tools/tcp-line.ts';

/** A TCP line on which every byte travels for so many milliseconds, either way, however many are under way. */
export class DelayLine {
  delayMs = 0;
  readonly #line: TcpLine;

  private constructor(line: TcpLine) {
    this.#line = line;
  }

  static async open(calleePort: number): Promise<DelayLine> {
    const delay: DelayLine = new DelayLine(await TcpLine.open(calleePort, (caller, callee) => delay.#carry(caller, callee)));
    return delay;
  }

  get port(): number {
    return this.#line.port;
  }

  close(): void {
    this.#line.close();
  }

  #carry(caller: Socket, callee: Socket): void {
    for (const [from, to] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      const later = (act: () => void): void => {
        if (this.delayMs === 0) act();
        else setTimeout(act, this.delayMs);
      };
      from.on('data', (chunk) => later(() => to.write(chunk)));
      from.on('end', () => later(() => to.end()));
      from.on('close', () => later(() => to.destroy()));
    }
  }
}
