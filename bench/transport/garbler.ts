import { toHex } from '@streaming-yao/core';
import { createKernel, finishPairing, type GarblerPairing, startPairing } from '@streaming-yao/engine';
import kernelModule from '@streaming-yao/engine/kernel.wasm';
import { createGroup } from '@streaming-yao/group';
import groupModule from '@streaming-yao/group/group.wasm';
import type { UpgradeResponse } from '@streaming-yao/workers/platform';
import { random } from '@streaming-yao/workers/random';
import { garble } from './ceremony.ts';
import { byteStream, type Line, SocketLine, StreamLine } from './line.ts';

const kernel = createKernel(kernelModule);
const group = createGroup(groupModule);
let pairing: GarblerPairing | undefined;
let counter = 0;

interface Environment {
  readonly B: {
    fetch: typeof fetch;
    stream(outgoing: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>;
  };
  /** Address of B for everybody. */
  readonly B_URL: string;
}

async function overSocket(reach: typeof fetch, url: string): Promise<Line> {
  const { webSocket } = (await reach(`${url}/socket`, { headers: { upgrade: 'websocket' } })) as UpgradeResponse;
  if (!webSocket) throw new Error('no socket');
  return new SocketLine(webSocket);
}

const TRANSPORTS: Readonly<Record<string, (environment: Environment) => Promise<Line>>> = {
  ws_binding: ({ B }) => overSocket((input, init) => B.fetch(input, init), 'http://b'),
  ws_public: ({ B_URL }) => overSocket((input, init) => fetch(input, init), B_URL),
  http_stream: async ({ B }) => {
    const { readable, writable } = byteStream();
    const { body } = await B.fetch('http://b/stream', { method: 'POST', body: readable, duplex: 'half' } as RequestInit);
    return new StreamLine(writable, body as ReadableStream<Uint8Array>);
  },
  rpc_stream: async ({ B }) => {
    const { readable, writable } = byteStream();
    return new StreamLine(writable, await B.stream(readable));
  },
};

/** Deriver A's half: one ceremony for each request, over the transport that its path names. */
export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    try {
      if (pathname === '/pair') {
        const { pending, message } = startPairing(group, random, new Uint8Array(32));
        const answer = await environment.B.fetch('http://b/pair', { method: 'POST', body: message as BodyInit });
        pairing = finishPairing(group, pending, new Uint8Array(32), new Uint8Array(await answer.arrayBuffer()));
        counter = 0;
        return new Response('paired');
      }
      const transport = TRANSPORTS[pathname.slice(1)];
      if (!transport || !pairing) return new Response('no such transport, or no pairing', { status: 404 });
      const turning = searchParams.has('turn');
      const { own, other, bytes } = await garble(kernel, pairing, counter++, () => transport(environment), turning);
      const hexOf = ({ input, share }: typeof own) => ({ input: toHex(input), share: toHex(share) });
      return Response.json({ own: hexOf(own), other: hexOf(other), bytes });
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
