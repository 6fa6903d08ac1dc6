import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { freePorts, isBlocked } from '../ports.ts';
import { startStack } from '../stack.ts';

let server: Server | undefined;

async function listen(): Promise<number> {
  server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  server?.close();
});

it('gives no port that somebody listens on', async () => {
  const taken = await listen();
  expect(await freePorts(1, taken)).not.toContain(taken);
});

it('gives no port that clients refuse', async () => {
  expect(await freePorts(3, 10_079)).not.toContain(10_080);
});

it('knows the ports that clients refuse, whether or not somebody listens', async () => {
  const ports = [25, 6000, 6667, 10_080, 10_081, await listen()];
  expect(await Promise.all(ports.map(isBlocked))).toEqual([true, true, true, true, false, false]);
});

it('starts no stack on a port that its users could not reach', async () => {
  await expect(startStack({ folder: '/nowhere', port: 6000 })).rejects.toThrow('port 6000');
});
