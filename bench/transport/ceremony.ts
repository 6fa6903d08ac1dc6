import { LIMITS, SecretBytes } from '@streaming-yao/core';
import {
  type Engine,
  EvaluatingSession,
  type EvaluatorPairing,
  type GarblerPairing,
  GarblingSession,
  OUTPUT_CIPHERTEXT_BYTES,
  TABLE_BYTES,
} from '@streaming-yao/engine';
import { Accept, FRAME_HEADER_BYTES, FRAME_OVERHEAD_BYTES, FrameLine, Open, payloadOf } from '@streaming-yao/wire';
import { nativeHashing } from '@streaming-yao/workers/hashing';
import { random } from '@streaming-yao/workers/random';
import { type Line, turn } from './line.ts';

/*
 * The messages of a refresh between two Workers that do nothing else: the frames of docs/protocol.md section 6, sealed and opened,
 * with the engine's payloads; what the lifecycle puts in besides is filled with zeros of its length.
 */
const TABLE_PAYLOAD_BYTES = Math.floor((LIMITS.frameBytes - FRAME_OVERHEAD_BYTES) / 32) * 32;
const OUTPUT_BYTES = 8_215 - FRAME_OVERHEAD_BYTES;
const RECEIPT_BYTES = 1_021 - FRAME_OVERHEAD_BYTES;
const CREDIT_BYTES = 48 - FRAME_OVERHEAD_BYTES;
const COSIGNATURE_BYTES = 115 - FRAME_OVERHEAD_BYTES;
const WORD = new Uint8Array(32);

interface FrameKeys {
  readonly toEvaluator: SecretBytes;
  readonly toGarbler: SecretBytes;
}

const linesOf = ({ toEvaluator, toGarbler }: FrameKeys, ceremonyId: Uint8Array) => ({
  toEvaluator: new FrameLine(nativeHashing, toEvaluator, 'to-evaluator', ceremonyId),
  toGarbler: new FrameLine(nativeHashing, toGarbler, 'to-garbler', ceremonyId),
});

const contextOf = (ceremonyId: Uint8Array, garblerNonce: Uint8Array) =>
  ({ ceremonyId, circuit: 'activation', profile: 'bench', garblerNonce }) as const;

/** Input and share of both, in the clear: it is a measurement, and whoever measures checks the sum. 32 bytes each. */
export interface Shares {
  readonly input: Uint8Array;
  readonly share: Uint8Array;
}

export interface Joint {
  readonly own: Shares;
  readonly other: Shares;
  readonly bytes: number;
}

const copyOf = (secret: SecretBytes): Uint8Array => secret.use((bytes) => bytes.slice());

/** @param turning whether the event loop turns after every few table frames */
export async function garble(
  kernel: Engine,
  pairing: GarblerPairing,
  counter: number,
  connect: () => Promise<Line>,
  turning: boolean,
): Promise<Joint> {
  const [ceremonyId, garblerNonce, input] = [random(32), random(32), SecretBytes.own(random(32))];
  const ticket = pairing.takeTicket(counter);
  const session = GarblingSession.open({ kernel, ticket, context: contextOf(ceremonyId, garblerNonce), input, random });
  const { toEvaluator, toGarbler } = linesOf(session.frameKeys, ceremonyId);
  const line = await connect();
  let bytes = 0;
  const send = (frame: Uint8Array): Promise<void> | undefined => {
    bytes += frame.length;
    return line.send(frame);
  };
  const next = async (): Promise<Uint8Array> => {
    const frame = await line.next();
    bytes += frame.length;
    return toGarbler.open(frame).payload;
  };
  const opening = { ceremonyId, grant: WORD, operation: 'refresh', circuitId: WORD, rootVersion: 1, garblerNonce } as const;
  await send(toEvaluator.seal('open', Open.encode({ ...opening, ticket: { pairing: pairing.id, counter } })));
  const accepted = next().then((payload) => {
    const { evaluatorNonce, choices } = Accept.decode(payload);
    return send(toEvaluator.seal('pads', session.acceptChoices(evaluatorNonce, choices)));
  });
  let sent = 0;
  for (let left = TABLE_BYTES.activation; left > 0; ) {
    const length = Math.min(left, TABLE_PAYLOAD_BYTES);
    left -= length;
    const buffer = new Uint8Array(length + FRAME_OVERHEAD_BYTES);
    session.nextTables(buffer.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length));
    const taken = send(toEvaluator.sealInPlace(buffer, 'tables', length, left === 0));
    if (taken) await taken;
    if (turning && ++sent % LIMITS.turnFrames === 0) await turn();
  }
  if (turning) await turn();
  await accepted;
  const { ciphertexts, share } = session.projectOutputs();
  const output = new Uint8Array(OUTPUT_BYTES);
  output.set(ciphertexts);
  await send(toEvaluator.seal('output', output));
  let last = await next();
  while (last.length === CREDIT_BYTES) last = await next();
  await send(toEvaluator.seal('cosignature', new Uint8Array(COSIGNATURE_BYTES)));
  await turn();
  line.close();
  session.wipe();
  const own = { input: copyOf(input), share: copyOf(share) };
  return { own, other: { input: last.slice(0, 32), share: last.slice(32, 64) }, bytes };
}

export async function evaluate(kernel: Engine, pairing: EvaluatorPairing, line: Line): Promise<void> {
  const first = await line.next();
  const { ceremonyId, garblerNonce, ticket } = Open.decode(payloadOf(first));
  const [evaluatorNonce, input] = [random(32), SecretBytes.own(random(32))];
  const context = contextOf(ceremonyId, garblerNonce);
  const taken = pairing.takeTicket(ticket.counter);
  const session = EvaluatingSession.open({ kernel, ticket: taken, context, evaluatorNonce, input, random });
  const { toEvaluator, toGarbler } = linesOf(session.frameKeys, ceremonyId);
  toEvaluator.open(first);
  await line.send(toGarbler.seal('accept', Accept.encode({ evaluatorNonce, choices: session.choices })));
  await turn();
  const waiting: Uint8Array[] = [];
  let labelled = false;
  let evaluated = 0;
  for (;;) {
    const { kind, payload, final } = toEvaluator.open(await line.next());
    if (kind === 'output') {
      const share = session.outputShare(payload.subarray(0, OUTPUT_CIPHERTEXT_BYTES));
      const receipt = new Uint8Array(RECEIPT_BYTES);
      receipt.set(copyOf(input));
      receipt.set(copyOf(share), 32);
      await line.send(toGarbler.seal('receipt', receipt));
      break;
    }
    if (kind === 'pads') session.acceptPads(payload);
    else waiting.push(payload);
    labelled ||= kind === 'pads';
    const together = labelled && (waiting.length >= LIMITS.turnFrames || final);
    for (const tables of together ? waiting.splice(0) : []) {
      session.acceptTables(tables);
      evaluated++;
      if (evaluated % LIMITS.creditStepFrames === 0) await line.send(toGarbler.seal('credit', new Uint8Array(CREDIT_BYTES)));
    }
  }
  await turn();
  toEvaluator.open(await line.next());
  session.wipe();
  line.close();
}
