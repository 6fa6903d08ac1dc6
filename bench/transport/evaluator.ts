import { WorkerEntrypoint } from 'cloudflare:workers';
import { answerPairing, createKernel, type EvaluatorPairing } from '@streaming-yao/engine';
import kernelModule from '@streaming-yao/engine/kernel.wasm';
import { createGroup } from '@streaming-yao/group';
import groupModule from '@streaming-yao/group/group.wasm';
import { upgrade } from '@streaming-yao/workers/platform';
import { random } from '@streaming-yao/workers/random';
import { evaluate } from './ceremony.ts';
import { byteStream, type Line, SocketLine, StreamLine } from './line.ts';

const kernel = createKernel(kernelModule);
const group = createGroup(groupModule);
let pairing: EvaluatorPairing | undefined;

/** Deriver B's half of a ceremony, behind each transport. */
export default class Evaluator extends WorkerEntrypoint<unknown> {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/pair') {
      const answer = answerPairing(group, random, new Uint8Array(32), new Uint8Array(await request.arrayBuffer()));
      pairing = answer.pairing;
      return new Response(answer.reply as BodyInit);
    }
    if (pathname === '/socket') {
      const { response, socket } = upgrade();
      this.#run(new SocketLine(socket));
      return response;
    }
    return request.body ? new Response(this.stream(request.body)) : new Response('ready');
  }

  /** By remote call: a stream of frames in, a stream of frames out. */
  stream(incoming: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const { readable, writable } = byteStream();
    this.#run(new StreamLine(writable, incoming));
    return readable;
  }

  #run(line: Line): void {
    if (!pairing) throw new Error('pair first');
    this.ctx.waitUntil(evaluate(kernel, pairing, line).catch(() => line.close()));
  }
}
