import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '@streaming-yao/core';
import { openScene, refresh, registeredBeginning } from '@streaming-yao/simulator';
import { FRAME_KINDS, type FrameKind, payloadOf, Receipt } from '@streaming-yao/wire';
import { expect, test } from 'vitest';

test('two ceremonies of one key share no ticket, no nonce, no frame and no place in a transcript', async () => {
  const frames: string[] = [];
  const frameLeft = (_: unknown, frame: Uint8Array): void => {
    const kind = FRAME_KINDS[frame[1] as number] as FrameKind;
    if (kind !== 'credit') frames.push(`${kind} ${toHex(sha256(payloadOf(frame)))}`);
  };
  const { run, surroundings, wallet } = openScene('twice', {
    beginning: await registeredBeginning(),
    observers: [{ frameLeft }],
  });
  const receipts = [];
  for (const name of ['once', 'twice']) {
    const { answer } = await run(name, refresh(surroundings, wallet));
    receipts.push(Receipt.decode(answer.receipt.payload));
  }
  const secrets = receipts.flatMap(({ ticket, ceremonyId, garblerNonce, evaluatorNonce, transcript, commitments }) => [
    `${toHex(ticket.pairing)} ${ticket.counter}`,
    ...[ceremonyId, garblerNonce, evaluatorNonce, transcript].map(toHex),
    ...[commitments?.client, commitments?.signingWorker].flatMap((pair) => (pair ? [toHex(pair.a), toHex(pair.b)] : [])),
  ]);
  expect(secrets).toHaveLength(18);
  expect(new Set(secrets).size).toBe(18);
  expect(frames).toHaveLength(2 * 33);
  expect(new Set(frames).size).toBe(frames.length);
});
