import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { issueCallToken } from '@streaming-yao/workers/call-token';
import { importSigningKey } from '@streaming-yao/workers/signatures';
import type { Stack } from '../../tools/stack.ts';
import { stolenSecret } from './key-folder.ts';
import { splitFrames } from './websocket-frames.ts';

/** Opens Deriver A's stream to Deriver B with A's stolen key, sends one frame, and returns the first that comes back. */
export async function sendAsDeriverA(stack: Stack, path: string, frame: Uint8Array): Promise<Uint8Array> {
  using seed = await stolenSecret(stack, 'deriver-a', 'signing-key');
  const call = { caller: 'deriver-a', audience: 'deriver-b', path, body: new Uint8Array() } as const;
  const authorization = `Bearer ${await issueCallToken(call, await importSigningKey(seed), Date.now())}`;
  const socket = await upgrade(new URL(path, stack.roles['deriver-b'].url), authorization);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      socket.on('data', splitFrames(resolve));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('closed without an answer')));
      socket.write(masked(frame));
    });
  } finally {
    socket.destroy();
  }
}

function upgrade(url: URL, authorization: string): Promise<Duplex> {
  const headers = {
    authorization,
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { headers });
    request.on('upgrade', (_, socket) => resolve(socket));
    request.on('response', ({ statusCode }) => reject(new Error(`answered ${statusCode}`)));
    request.on('error', reject);
    request.end();
  });
}

/** A binary message of a client (RFC 6455 section 5.3), at most 65,535 bytes. */
function masked(payload: Uint8Array): Buffer {
  const mask = randomBytes(4);
  const head =
    payload.length < 126
      ? Buffer.of(0x82, 0x80 | payload.length)
      : Buffer.of(0x82, 0xfe, payload.length >> 8, payload.length & 0xff);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] as number))]);
}
