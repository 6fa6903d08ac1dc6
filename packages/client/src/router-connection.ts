import { errorFromBody, YaoError } from '@streaming-yao/core';

/** Asks the Router; `GET` without a body, else `POST` with JSON. */
export type RouterConnection = (path: string, body?: unknown) => Promise<unknown>;

/**
 * Asks the Router with `fetch`, each request once more when it does not get through.
 * @param url the Router's address
 * @param fetcher for tests and special transports; the platform's own by default
 * @throws YaoError what the Router answered; `peer_failed` when it could not be reached
 */
export function connectRouter(url: string, fetcher: typeof fetch = fetch): RouterConnection {
  return async (path, body) => {
    const send = () =>
      fetcher(new URL(path, url), {
        method: body === undefined ? 'GET' : 'POST',
        ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
    // Once more, because a kept connection may be closed just when a request leaves on it; the same request is harmless.
    const response = await send()
      .catch(send)
      .catch(() => {
        throw new YaoError('peer_failed', `the Router at ${url} cannot be reached; check the address and try again`, {
          party: 'router',
        });
      });
    const answer: unknown = await response.json().catch(() => undefined);
    // An answer that breaks off is none: what it would have said is asked for again.
    if (!response.ok || answer === undefined) throw errorFromBody(answer, 'router');
    return answer;
  };
}
