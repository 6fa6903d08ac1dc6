import { createServer } from 'node:net';

/** Below every platform's range for outgoing connections, which would take a port between its choice and its use. */
const FIRST_PORT = 10_000;
const PORTS = 20_000;
/** Processes that choose at the same time begin at different places. */
let next = FIRST_PORT + ((process.pid * 16) % PORTS);

/** Ports of the loopback interface that nobody listens on now, and that clients will talk to. */
export async function freePorts(count: number, from?: number): Promise<readonly number[]> {
  if (from !== undefined) next = from;
  const ports: number[] = [];
  while (ports.length < count) {
    const port = next++;
    if (next >= FIRST_PORT + PORTS) next = FIRST_PORT;
    if ((await isFree(port)) && !(await isBlocked(port))) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((answer) => {
    server.once('error', () => answer(false));
    server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
  });
}

/** Whether browsers, and fetch everywhere, refuse to talk to a port whoever listens there (Fetch Standard, port blocking). */
export async function isBlocked(port: number): Promise<boolean> {
  const outcome = await fetch(`http://127.0.0.1:${port}`, { method: 'HEAD' }).catch((error: Error) => error.cause);
  return outcome instanceof Error && outcome.message === 'bad port';
}
