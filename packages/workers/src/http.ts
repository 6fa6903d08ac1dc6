import { ERROR_CODES, errorBody, type Json, LIMITS, YaoError } from '@streaming-yao/core';

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export type Method = 'GET' | 'POST';

/** An answer whose body can be sent to more than one caller. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** When trying again can help, from now. */
  readonly retryAfterMs?: number | undefined;
}

export const accepted = (value: Json): Answer => ({ status: 200, text: JSON.stringify(value) });

/** Answers a request that is carried out in the background. */
export const deferred = ({ text }: Answer): Answer => ({ status: 202, text });

/** Whether the caller would rather not wait (RFC 7240 section 4.1). */
export function prefersAsync(request: Request): boolean {
  const preferences = (request.headers.get('prefer') ?? '').split(',');
  return preferences.some(
    (preference) =>
      preference
        .trim()
        .split(/[;=\s]/)[0]
        ?.toLowerCase() === 'respond-async',
  );
}

export function refused(error: unknown): Answer {
  const body = errorBody(error);
  const { code, retryAfterMs } = body.error;
  return { status: ERROR_CODES[code].status, text: JSON.stringify(body), retryAfterMs };
}

/** Seconds after which somebody who follows a request may ask for the first time. */
const FOLLOW_AFTER_S = 1;

function headersOf(status: number, allow: Method): Record<string, string> {
  if (status === 405) return { allow };
  return status === 202 ? { 'retry-after': String(FOLLOW_AFTER_S), 'preference-applied': 'respond-async' } : {};
}

/** @param allow the one method of the path, which an answer 405 has to name (RFC 9110 section 15.5.6) */
export function respond({ status, text, retryAfterMs }: Answer, allow: Method = 'POST'): Response {
  const retry = retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headersOf(status, allow), ...retry } });
}

/**
 * Reads a body to its end, at most `LIMITS.drainedBodyBytes`, and keeps no more than `limit` of it. To the end, because an
 * answer given before breaks the connection, and the caller sees a broken connection instead of the answer.
 * @returns `undefined` when the body is longer than is kept
 */
async function drain(message: Request | Response, limit: number): Promise<Uint8Array | undefined> {
  const kept: Uint8Array[] = [];
  let length = 0;
  if (message.body === null || message.bodyUsed) return new Uint8Array(0);
  for await (const chunk of message.body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length <= limit) kept.push(chunk);
    if (length > LIMITS.drainedBodyBytes) break;
  }
  if (length > limit) return undefined;
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of kept) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

/** @throws YaoError `payload_too_large` */
export async function readBody(message: Request | Response, limit: number): Promise<Uint8Array> {
  // No request is longer than it says, and a whole body comes in less time than its chunks. An answer may be, once it is unpacked.
  const declared = message instanceof Request ? message.headers.get('content-length') : null;
  if (declared !== null && Number(declared) <= limit) return new Uint8Array(await message.arrayBuffer());
  const body = await drain(message, limit);
  if (body) return body;
  throw new YaoError('payload_too_large', `the body of this message has at most ${limit} bytes`);
}

/** @throws YaoError `unsupported_method` */
export function requireMethod(request: Request, method: Method): void {
  if (request.method !== method) throw new YaoError('unsupported_method', `use ${method}, not ${request.method}`);
}

/** @throws YaoError `unsupported_media_type` */
export function requireJson(request: Request): void {
  const [essence = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (essence.trim().toLowerCase() !== 'application/json' || request.headers.has('content-encoding')) {
    throw new YaoError('unsupported_media_type', 'send JSON, uncompressed, with content-type: application/json');
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws YaoError `invalid_json` */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw new YaoError('invalid_json', 'the request body is not JSON in UTF-8');
  }
}

/** Answers with what `handle` returns or throws; in either case the request's body has been read to its end. */
export async function answering(request: Request, allow: Method, handle: () => Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (error) {
    await drain(request, 0).catch(() => undefined);
    return respond(refused(error), allow);
  }
}
