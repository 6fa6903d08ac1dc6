import { once } from 'node:events';
import type { RoleProcess } from './role-process.ts';

interface HeapUsage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** Bytes that a role's Worker keeps when all garbage is gone: objects, buffers and WebAssembly memories. */
export async function keptBytes(role: RoleProcess): Promise<number> {
  const socket = new WebSocket(await role.inspectorUrl());
  try {
    await once(socket, 'open');
    const answered = answerTo(socket, 3);
    // A snapshot begins with a collection; a mere collection waits until the Worker has something to do. One finds what the other freed.
    const methods = ['HeapProfiler.takeHeapSnapshot', 'HeapProfiler.takeHeapSnapshot', 'Runtime.getHeapUsage'];
    methods.forEach((method, i) => {
      socket.send(JSON.stringify({ id: i + 1, method }));
    });
    const { usedSize, backingStorageSize } = (await answered) as HeapUsage;
    return usedSize + backingStorageSize;
  } finally {
    socket.close();
  }
}

function answerTo(socket: WebSocket, id: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data) as { readonly id?: number; readonly result: unknown };
      if (message.id === id) resolve(message.result);
    });
    socket.addEventListener('close', () => reject(new Error('the Worker ended while it was looked into')));
  });
}
