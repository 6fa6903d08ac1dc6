import { connect } from 'node:net';
import { SecretBytes } from '@streaming-yao/core';
import { answerPairing, EvaluatingSession, type EvaluatorPairing } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { random } from './engine-parties.ts';
import { elapsed } from './figure.ts';
import { Frames } from './frames.ts';

/** What this process says of one session, in the clear: it is a measurement. Times of the system's monotonic clock. */
export interface EvaluatorReport {
  readonly input: string;
  readonly share: string;
  /** When the share was there, in nanoseconds. */
  readonly decodedAt: string;
  /** Time spent evaluating and decoding. */
  readonly busyMs: number;
}

const kernel = loadKernel();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

async function evaluate(peer: Frames, pairing: EvaluatorPairing, counter: number): Promise<EvaluatorReport> {
  const [ceremonyId, garblerNonce] = [await peer.next(), await peer.next()];
  const context = { ceremonyId, circuit: 'activation', profile: 'bench', garblerNonce } as const;
  const [ticket, evaluatorNonce, input] = [pairing.takeTicket(counter), random(32), SecretBytes.own(random(32))];
  const session = EvaluatingSession.open({ kernel, ticket, context, evaluatorNonce, input, random });
  await peer.send(evaluatorNonce);
  await peer.send(session.choices);
  session.acceptPads(await peer.next());
  await peer.send(new Uint8Array(0));
  let busyMs = 0;
  while (!session.complete) {
    const tables = await peer.next();
    busyMs += elapsed(() => session.acceptTables(tables));
  }
  const ciphertexts = await peer.next();
  const before = performance.now();
  const share = session.outputShare(ciphertexts);
  busyMs += performance.now() - before;
  const decodedAt = String(process.hrtime.bigint());
  const report = { input: input.use(hex), share: share.use(hex), decodedAt, busyMs };
  for (const spent of [session, share, input]) spent.wipe();
  return report;
}

async function main(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  const peer = new Frames(socket);
  const { pairing, reply } = answerPairing(loadGroup(), random, new Uint8Array(32), await peer.next());
  await peer.send(reply);
  let sessions = 0;
  socket.on('close', () => process.exit(0));
  for (;;) await peer.send(Buffer.from(JSON.stringify(await evaluate(peer, pairing, sessions++))));
}

if (import.meta.main) await main(Number(process.argv[2]));
