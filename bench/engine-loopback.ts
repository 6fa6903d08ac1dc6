import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { SecretBytes, xorBytes } from '@streaming-yao/core';
import { finishPairing, type GarblerPairing, GarblingSession, startPairing } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { decodeScalar, L } from '@streaming-yao/group';
import { loadGroup } from '@streaming-yao/group/node';
import { FRAME_BYTES, random } from './engine-parties.ts';
import { elapsed, type Figure, print, summarize } from './figure.ts';
import { Frames } from './frames.ts';
import type { EvaluatorReport } from './loopback-evaluator.ts';

const WARM_UP = 10;
const ROUNDS = 60;

const kernel = loadKernel();
const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

interface Times {
  /** From the first message to the evaluator's share. */
  readonly session: number;
  /** From the first garbling to the evaluator's share, both parties being ready before. */
  readonly wall: number;
  readonly garble: number;
  readonly evaluate: number;
}

/** @throws Error unless the shares add up to the clamped first half of SHA-512 of the joined input */
function check(garblerInput: Uint8Array, garblerShare: Uint8Array, report: EvaluatorReport): void {
  const seed = xorBytes(garblerInput, Buffer.from(report.input, 'hex'));
  const digest = createHash('sha512').update(seed).digest().subarray(0, 32).reverse();
  const scalar = (BigInt(`0x${digest.toString('hex')}`) & (2n ** 254n - 8n)) | (2n ** 254n);
  const sum = decodeScalar(garblerShare) + decodeScalar(Buffer.from(report.share, 'hex'));
  if (sum % L !== scalar % L) throw new Error('the shares do not add up to the digest');
}

async function garble(peer: Frames, pairing: GarblerPairing, counter: number): Promise<Times> {
  const context = { ceremonyId: random(32), circuit: 'activation', profile: 'bench', garblerNonce: random(32) } as const;
  const [ticket, input] = [pairing.takeTicket(counter), random(32)];
  const opened = process.hrtime.bigint();
  await peer.send(context.ceremonyId);
  await peer.send(context.garblerNonce);
  const session = GarblingSession.open({ kernel, ticket, context, input: SecretBytes.copy(input), random });
  await peer.send(session.acceptChoices(await peer.next(), await peer.next()));
  await peer.next();
  const tables = new Uint8Array(FRAME_BYTES);
  const began = process.hrtime.bigint();
  let [busy, length] = [0, 0];
  for (;;) {
    busy += elapsed(() => {
      length = session.nextTables(tables);
    });
    if (length === 0) break;
    await peer.send(tables.subarray(0, length));
  }
  const before = performance.now();
  const { ciphertexts, share } = session.projectOutputs();
  busy += performance.now() - before;
  await peer.send(ciphertexts);
  const report: EvaluatorReport = JSON.parse(Buffer.from(await peer.next()).toString());
  share.use((bytes) => check(input, bytes, report));
  for (const spent of [session, share]) spent.wipe();
  const decoded = BigInt(report.decodedAt);
  return {
    session: milliseconds(decoded - opened),
    wall: milliseconds(decoded - began),
    garble: busy,
    evaluate: report.busyMs,
  };
}

async function sessions(peer: Frames): Promise<readonly Times[]> {
  const [group, context] = [loadGroup(), new Uint8Array(32)];
  const { pending, message } = startPairing(group, random, context);
  await peer.send(message);
  const pairing = finishPairing(group, pending, context, await peer.next());
  const times: Times[] = [];
  for (let counter = 0; counter < WARM_UP + ROUNDS; counter++) times.push(await garble(peer, pairing, counter));
  return times.slice(WARM_UP);
}

/** Both parties as processes of their own, a TCP connection over the loopback interface between them. */
export default async function benchLoopback(): Promise<readonly Figure[]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const script = path.join(import.meta.dirname, 'loopback-evaluator.ts');
  const evaluator = spawn(process.execPath, [script, String(address.port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const [socket] = (await once(server, 'connection', { signal: AbortSignal.timeout(30_000) })) as [Socket];
    const times = await sessions(new Frames(socket));
    socket.end();
    const ratios = times.map(({ wall, garble, evaluate }) => wall / (garble + evaluate));
    return [
      summarize(
        'engine_two_process_ms',
        'ms',
        times.map(({ wall }) => wall),
      ),
      summarize(
        'engine_two_process_session_ms',
        'ms',
        times.map(({ session }) => session),
      ),
      summarize('overlap_ratio', 'ratio', ratios),
    ];
  } finally {
    server.close();
    evaluator.kill();
  }
}

if (import.meta.main) print(await benchLoopback());
