import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { toBase64Url } from '@streaming-yao/core';
import { issueCallToken } from '@streaming-yao/workers/call-token';
import { importSigningKey } from '@streaming-yao/workers/signatures';
import type { Stack } from '../../tools/stack.ts';
import { stolenSecret } from './key-folder.ts';
import { splitFrames } from './websocket-frames.ts';

/** Opens Deriver A's stream to Deriver B with A's stolen key and this opening, and returns the first frame that comes back. */
export async function openAsDeriverA(stack: Stack, path: string, opening: Uint8Array): Promise<Uint8Array> {
  using seed = await stolenSecret(stack, 'deriver-a', 'signing-key');
  const call = { kind: 'call', caller: 'deriver-a', audience: 'deriver-b', path, body: opening } as const;
  const authorization = await issueCallToken(call, await importSigningKey(seed), Date.now());
  const headers = { authorization, 'x-yao-opening': toBase64Url(opening) };
  const socket = await upgrade(new URL(path, stack.roles['deriver-b'].url), headers);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      socket.on('data', splitFrames(resolve));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('closed without an answer')));
    });
  } finally {
    socket.destroy();
  }
}

function upgrade(url: URL, more: Readonly<Record<string, string>>): Promise<Duplex> {
  const headers = {
    ...more,
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers });
    request.on('upgrade', (_, socket, head) => {
      socket.unshift(head);
      resolve(socket);
    });
    request.on('response', ({ statusCode }) => reject(new Error(`answered ${statusCode}`)));
    request.on('error', reject);
    request.end();
  });
}
