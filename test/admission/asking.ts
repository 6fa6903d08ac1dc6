import { connectRouter, type RouterConnection, YaoError } from '@streaming-yao/client';

/** Asks again where a kept connection was closed before the question had left, as browsers do; Node leaves that to its caller. */
export async function steadyFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  return fetch(input, init).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    if (cause?.code === 'UND_ERR_SOCKET') return fetch(input, init);
    throw error;
  });
}

/** A connection whose requests carry headers of their own. */
export function connectWith(routerUrl: string, headers: Readonly<Record<string, string>>): RouterConnection {
  const fetcher = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
    steadyFetch(input, { ...init, headers: { ...init.headers, ...headers } });
  return connectRouter(routerUrl, fetcher as typeof fetch);
}

/** How often each outcome came: `done`, or the code of an error. */
export async function outcomes(actions: readonly Promise<unknown>[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const settled of await Promise.allSettled(actions)) {
    const outcome = settled.status === 'fulfilled' ? 'done' : codeOf(settled.reason);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

function codeOf(error: unknown): string {
  if (error instanceof YaoError) return error.code;
  throw error;
}
