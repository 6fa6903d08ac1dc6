import { describe, expect, it } from 'vitest';
import { pageFile } from '../src/page.ts';

/** A folder with two files, which notes what it is asked for. */
function folder() {
  const asked: string[] = [];
  return {
    asked,
    fetch: async (url: string): Promise<Response> => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      return ['/index.html', '/group.wasm'].includes(pathname) ? new Response('file') : new Response('none', { status: 404 });
    },
  };
}

const get = (path: string): Request => new Request(`http://localhost${path}`);

describe('the wallet page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/index.html?x=1', 'text/html; charset=utf-8'],
    ['/group.wasm', 'application/wasm'],
  ])('is served at %s as %s, under its policy', async (path, type) => {
    const response = await pageFile(get(path), folder());
    expect([response?.status, response?.headers.get('content-type'), await response?.text()]).toEqual([200, type, 'file']);
    const policy = (response?.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy.join(' ')).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
    expect(response?.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    '/health',
    '/v1/ceremonies',
    '/../keys.json',
    '/..%2fkeys.js',
    '/page/index.html',
    '/index.HTML',
    '/.js',
    '/pins.json',
  ])('is not at %s, and nobody looks there', async (path) => {
    const files = folder();
    expect(await pageFile(get(path), files)).toBeUndefined();
    expect(files.asked).toEqual([]);
  });

  it('has no file that is not there, takes no POST, and is missing where the deployment has none', async () => {
    expect(await pageFile(get('/other.js'), folder())).toBeUndefined();
    expect(await pageFile(new Request('http://localhost/', { method: 'POST' }), folder())).toBeUndefined();
    expect(await pageFile(get('/'), undefined)).toBeUndefined();
  });
});
