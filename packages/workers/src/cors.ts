import type { Admission } from './admission-config.ts';

const METHODS = 'GET, POST';
const REQUEST_HEADERS = 'authorization, content-type, idempotency-key, prefer';
const ANSWER_HEADERS = 'location, retry-after';
const PREFLIGHT_SECONDS = 600;

/** What every answer of the Router says to browsers; a page of its own says more. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Answers a preflight (Fetch, section 3.3): to pages of foreign origins that are not listed it grants nothing.
 * @returns `undefined` for any other request
 */
export function preflight(request: Request, admission: Admission): Response | undefined {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return undefined;
  const granted = {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  const listed = allowedOrigin(request, admission) !== undefined;
  return new Response(null, { status: 204, ...(listed && { headers: granted }) });
}

function allowedOrigin(request: Request, { origins }: Admission): string | undefined {
  const origin = request.headers.get('origin');
  return origin !== null && origins.includes(origin) ? origin : undefined;
}

/** The answer with what browsers are to be told; pages of listed origins may read it. */
export function forBrowsers(response: Response, request: Request, admission: Admission | undefined): Response {
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  if (!admission || admission.origins.length === 0) return answer;
  answer.headers.append('vary', 'origin');
  const origin = allowedOrigin(request, admission);
  if (origin === undefined) return answer;
  answer.headers.set('access-control-allow-origin', origin);
  answer.headers.set('access-control-expose-headers', ANSWER_HEADERS);
  return answer;
}
