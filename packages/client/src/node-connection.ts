import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { errorFromBody, YaoError } from '@streaming-yao/core';
import type { RouterConnection } from './router-connection.ts';

/** A Router's answer is far smaller; more is not of this protocol. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/**
 * Asks the Router over keep-alive connections of `node:http`, which costs less than half of what `fetch` does in Node.
 * @param url `http:` address of the Router
 * @throws YaoError as `connectRouter`
 */
export function connectRouterKeepAlive(url: string): RouterConnection {
  const agent = new Agent({ keepAlive: true });
  const { protocol, hostname, port } = urlToHttpOptions(new URL(url));
  const kept = new Map<string, { readonly answer: unknown; readonly untilMs: number }>();
  return async (path, body) => {
    const held = body === undefined ? kept.get(path) : undefined;
    if (held && performance.now() < held.untilMs) return held.answer;
    const send = () => exchange({ agent, protocol, hostname, port, path }, body);
    // Once more, because a kept connection may be closed just when a request leaves on it; the same request is harmless.
    const { status, text, freshMs } = await send()
      .catch(send)
      .catch(() => {
        throw new YaoError('peer_failed', `the Router at ${url} cannot be reached; check the address and try again`, {
          party: 'router',
        });
      });
    const answer = parse(text);
    if (status !== 200 || answer === undefined) throw errorFromBody(answer, 'router');
    if (body === undefined && freshMs > 0) kept.set(path, { answer, untilMs: performance.now() + freshMs });
    return answer;
  };
}

interface Exchanged {
  readonly status: number | undefined;
  readonly text: string;
  /** How long the answer may be given again (RFC 9111 section 5.2.2.1); browsers see to that by themselves. */
  readonly freshMs: number;
}

function exchange(to: RequestOptions, body: unknown): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const method = text === undefined ? 'GET' : 'POST';
    const request = httpRequest({ ...to, method, headers }, (response) => {
      const freshMs = 1000 * Number(/max-age=(\d+)/.exec(response.headers['cache-control'] ?? '')?.[1] ?? 0);
      collect(response).then((answer) => resolve({ status: response.statusCode, text: answer, freshMs }), reject);
    });
    request.once('error', reject);
    request.end(text);
  });
}

function collect(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) response.destroy(new Error('the answer is too large'));
      chunks.push(chunk);
    });
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
