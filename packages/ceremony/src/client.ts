import { equalBytes, type SecretBytes, YaoError } from '@streaming-yao/core';
import { ActivationAnswer, CeremonyAnswer, CeremonyRequest, ConfirmRequest, ConfirmStatement } from '@streaming-yao/wire';
import { acceptSeed, acceptShare, type Lane } from './client-answer.ts';
import { encodePending, type Intent, type PendingCeremony, prepareCeremony } from './client-request.ts';
import { provePossession } from './possession.ts';
import { ask, keep, type Program } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkActivation } from './statement.ts';

export { acceptSeed, acceptShare, type Lane, publicKeyOfSeed } from './client-answer.ts';
export {
  ceremonyIdOfRequest,
  decodePending,
  encodePending,
  type Intent,
  type PendingCeremony,
  prepareCeremony,
} from './client-request.ts';
export type { ClientSurroundings } from './role.ts';

/** Where a ceremony's request stays until its answer has been opened and stored. */
export const pendingName = (walletId: string, keyIndex: number): string => `pending/${walletId}/${keyIndex}`;

/** A finished ceremony, with everything that an auditor may want to check again. */
export interface Finished<T> {
  readonly result: T;
  readonly answer: CeremonyAnswer;
}

/** `register`, `recover`, `refresh`, `link`: ends with a new share on this device. */
export function* obtainLane(s: ClientSurroundings, intent: Intent, root: SecretBytes): Program<Finished<Lane>> {
  const pending = yield* prepareCeremony(s, intent, root);
  return yield* conclude(s, pending, acceptShare);
}

/** `export`: ends with the seed. */
export function* exportSeed(s: ClientSurroundings, intent: Intent, root: SecretBytes): Program<Finished<SecretBytes>> {
  const pending = yield* prepareCeremony(s, intent, root);
  return yield* conclude(s, pending, acceptSeed);
}

/** Sends a request that is safely stored, and accepts its answer; sending it again is harmless. */
export function* conclude<T>(
  s: ClientSurroundings,
  pending: PendingCeremony,
  accept: (s: ClientSurroundings, pending: PendingCeremony, answer: CeremonyAnswer) => Program<T>,
): Program<Finished<T>> {
  const { walletId, keyIndex } = pending.request.core;
  using record = encodePending(pending);
  yield* keep(pendingName(walletId, keyIndex), record);
  const answer = CeremonyAnswer.fromJson(yield* ask('/v1/ceremonies', CeremonyRequest.toJson(pending.request)));
  return { result: yield* accept(s, pending, answer), answer };
}

/**
 * Tells the SigningWorker, by a proof of possession, that the new share is stored; only on its signed statement may the old one go.
 * @throws YaoError `ceremony_unknown` when the new share is not waiting any more: the old one still signs
 */
export function* confirmLane(s: ClientSurroundings, lane: Lane): Program<void> {
  const { walletId, keyIndex, ceremonyId } = lane;
  const statement = { deployment: s.pins.deployment, walletId, keyIndex, lane: lane.lane, ceremonyId };
  const possession = provePossession(s, lane.share, ConfirmStatement.encode(statement));
  const answer = ActivationAnswer.fromJson(yield* ask('/v1/lanes/confirm', ConfirmRequest.toJson({ statement, possession })));
  const activation = yield* checkActivation(s.pins, answer.activation);
  if (activation.state !== 'active' || !equalBytes(activation.ceremonyId, ceremonyId) || activation.epoch !== lane.epoch) {
    throw new YaoError('receipt_invalid', 'the SigningWorker confirmed something else', { party: 'signing-worker' });
  }
}
