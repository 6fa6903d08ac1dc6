import type { Asker } from '@streaming-yao/ceremony/role';

/** What a role's Worker tells its own objects, which nobody else can ask. */
export interface Forwarded {
  readonly asker: Asker;
  /** Where the answer is kept under the request's idempotency key. */
  readonly keptAs?: string | undefined;
  /** Whether the caller would rather not wait. */
  readonly deferring?: boolean;
}

const HEADER = 'x-yao-forwarded';

export const forwardedHeaders = (forwarded: Forwarded): Record<string, string> => ({ [HEADER]: JSON.stringify(forwarded) });

export function readForwarded(request: Request): Forwarded {
  const text = request.headers.get(HEADER);
  return text === null ? { asker: {} } : (JSON.parse(text) as Forwarded);
}
