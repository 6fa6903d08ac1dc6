import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { connectRouterKeepAlive } from '../src/node-connection.ts';

interface Unusual {
  readonly body: string;
  readonly headers?: Record<string, string>;
  readonly breaksOff?: boolean;
}

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that counts its answers, in each of them. @returns its address */
async function serve(headers: Record<string, string>): Promise<string> {
  let answers = 0;
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ answer: ++answers }));
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

it.each([
  ['public, max-age=60', [1, 1, 2, 1]],
  ['public, max-age=0', [1, 2, 3, 4]],
  ['no-store', [1, 2, 3, 4]],
])('under cache-control: %s gives what is fresh again, and asks for everything else', async (control, answers) => {
  const router = connectRouterKeepAlive(await serve({ 'cache-control': control }));
  const got = [await router('/facts'), await router('/facts'), await router('/facts', {}), await router('/facts')];
  expect(got.map((each) => (each as { answer: number }).answer)).toEqual(answers);
});

it('keeps no answer for another path', async () => {
  const router = connectRouterKeepAlive(await serve({ 'cache-control': 'max-age=60' }));
  expect([await router('/a'), await router('/b'), await router('/a')]).toEqual([{ answer: 1 }, { answer: 2 }, { answer: 1 }]);
});

it.each([
  ['longer than any answer of this protocol', { body: JSON.stringify('x'.repeat(2 ** 20)) }],
  ['that breaks off', { body: '{"answer":', headers: { 'content-length': '100' }, breaksOff: true }],
])('gives no answer %s', async (_, { body, headers = {}, breaksOff = false }: Unusual) => {
  let asked = 0;
  server = createServer((request, response) => {
    asked++;
    request.resume();
    response.writeHead(200, headers).write(body, () => (breaksOff ? response.destroy() : response.end()));
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const router = connectRouterKeepAlive(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  await expect(router('/x', {})).rejects.toMatchObject({ code: 'peer_failed', party: 'router' });
  expect(asked).toBe(2);
});
