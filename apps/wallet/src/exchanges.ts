import { connectRouter, type RouterConnection } from '@streaming-yao/client';
import { CeremonyAnswer } from '@streaming-yao/wire';

/** One request of this page to the Router and its answer, measured here. Times are `performance.now()`, in milliseconds. */
export interface Exchange {
  readonly path: string;
  readonly sentBytes: number;
  readonly startedAt: number;
  readonly receivedBytes: number;
  readonly endedAt: number;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Where the answer is a ceremony's. */
  readonly ceremony?: CeremonyAnswer;
}

export interface ExchangeObserver {
  started(path: string): void;
  ended(exchange: Exchange): void;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

function ceremonyOf(path: string, text: string): CeremonyAnswer | undefined {
  if (path !== '/v1/ceremonies') return undefined;
  try {
    return CeremonyAnswer.fromJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A connection to the Router that serves this page, which tells `observer` what passed over it. */
export function observedConnection(observer: ExchangeObserver): RouterConnection {
  const observedFetch: typeof fetch = async (input, init) => {
    const path = new URL(input instanceof Request ? input.url : input).pathname;
    const sentBytes = typeof init?.body === 'string' ? byteLength(init.body) : 0;
    const startedAt = performance.now();
    observer.started(path);
    let status = 0;
    let text = '';
    try {
      const response = await fetch(input, init);
      text = await response.text();
      status = response.status;
      return new Response(text, { status, headers: response.headers });
    } finally {
      const endedAt = performance.now();
      const ceremony = status === 200 ? ceremonyOf(path, text) : undefined;
      observer.ended({
        path,
        sentBytes,
        startedAt,
        receivedBytes: byteLength(text),
        endedAt,
        status,
        ...(ceremony && { ceremony }),
      });
    }
  };
  return connectRouter(location.origin, observedFetch);
}
