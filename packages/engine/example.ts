import type { SecretBytes } from '@streaming-yao/core';
import { answerPairing, EvaluatingSession, finishPairing, GarblingSession, startPairing } from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';

type Peer = { send(message: Uint8Array): void; receive(): Promise<Uint8Array> };
const [kernel, group] = [loadKernel(), loadGroup()];
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

export async function garble(peer: Peer, ceremonyId: Uint8Array, input: SecretBytes): Promise<SecretBytes> {
  const { pending, message } = startPairing(group, random, ceremonyId);
  peer.send(message);
  const ticket = finishPairing(group, pending, ceremonyId, await peer.receive()).takeTicket(0);
  const context = { ceremonyId, circuit: 'activation', profile: 'example', garblerNonce: random(32) } as const;
  peer.send(context.garblerNonce);
  const session = GarblingSession.open({ kernel, ticket, context, input, random });
  peer.send(session.acceptChoices(await peer.receive(), await peer.receive()));
  const tables = new Uint8Array(65_472);
  for (let n = session.nextTables(tables); n > 0; n = session.nextTables(tables)) peer.send(tables.slice(0, n));
  const { ciphertexts, share } = session.projectOutputs();
  peer.send(ciphertexts);
  session.wipe();
  return share;
}

export async function evaluate(peer: Peer, ceremonyId: Uint8Array, input: SecretBytes): Promise<SecretBytes> {
  const { pairing, reply } = answerPairing(group, random, ceremonyId, await peer.receive());
  peer.send(reply);
  const context = { ceremonyId, circuit: 'activation', profile: 'example', garblerNonce: await peer.receive() } as const;
  const [ticket, evaluatorNonce] = [pairing.takeTicket(0), random(32)];
  const session = EvaluatingSession.open({ kernel, ticket, context, evaluatorNonce, input, random });
  peer.send(evaluatorNonce);
  peer.send(session.choices);
  session.acceptPads(await peer.receive());
  while (!session.complete) session.acceptTables(await peer.receive());
  const share = session.outputShare(await peer.receive());
  session.wipe();
  return share;
}
