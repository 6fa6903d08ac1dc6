import type { RoleBinding } from './platform.ts';

/** What the page's files are, by the ending of their names. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

/** Scripts, styles and requests of this origin only, nothing inline; compiling WebAssembly is the one exception. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // A page that holds shares must not be an old one.
  'cache-control': 'no-cache',
} as const;

/**
 * Serves a file of the wallet page, where the deployment has one.
 * @param files answers `GET /name.ending`: static assets on Cloudflare, a folder on one's own machine
 * @returns `undefined` for what is no file of the page
 */
export async function pageFile(request: Request, files: RoleBinding | undefined): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const path = pathname === '/' ? '/index.html' : pathname;
  const type = TYPES[/^\/[a-z]+\.([a-z]+)$/.exec(path)?.[1] ?? ''];
  if (!files || request.method !== 'GET' || !type) return undefined;
  const file = await files.fetch(`http://page${path}`, {});
  if (file.status === 200) return new Response(file.body, { headers: { ...HEADERS, 'content-type': type } });
  await file.body?.cancel();
  return undefined;
}
