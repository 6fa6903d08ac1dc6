import { equalBytes, type SecretBytes, YaoError } from '@streaming-yao/core';
import {
  CeremonyAnswer,
  CeremonyRequest,
  ConfirmAnswer,
  ConfirmRequest,
  ConfirmStatement,
  FollowAnswer,
  FollowRequest,
  FollowStatement,
  Receipt,
} from '@streaming-yao/wire';
import { acceptSeed, acceptShare, type Lane } from './client-answer.ts';
import {
  type AwaitedCeremony,
  encodeLink,
  encodePending,
  type Intent,
  type PendingCeremony,
  pendingCeremony,
  prepareRequest,
  type RootSource,
} from './client-request.ts';
import { createDeviceKeys, type DeviceKeys, type DevicePublicKeys, publicHalves, wipeDeviceKeys } from './device-keys.ts';
import { provePossession } from './possession.ts';
import { ask, keep, type Program, signWith } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkActivation, checkRefusal } from './statement.ts';

export { acceptSeed, acceptShare, type Lane, publicKeyOfSeed } from './client-answer.ts';
export { askLanes, type KeyLanes, lanesOfKey, nameLane } from './client-lanes.ts';
export {
  type AwaitedCeremony,
  decodeLink,
  decodePending,
  encodeLink,
  encodePending,
  type Intent,
  type PendingCeremony,
  pendingCeremony,
  prepareRequest,
  type RootSource,
} from './client-request.ts';
export { createDeviceKeys, type DeviceKeys, type DevicePublicKeys, publicHalves, wipeDeviceKeys } from './device-keys.ts';
export type { ClientSurroundings } from './role.ts';

/** Where a ceremony's request stays until its answer has been opened and stored. */
export const pendingName = (walletId: string, keyIndex: number): string => `pending/${walletId}/${keyIndex}`;

/** Where the request of a link stays until the approving device knows its ceremony. */
export const linkName = (walletId: string, keyIndex: number): string => `link/${walletId}/${keyIndex}`;

/** A finished ceremony, with everything that an auditor may want to check again. */
export interface Finished<T> {
  readonly result: T;
  readonly answer: CeremonyAnswer;
}

/** `register`, `recover`, `refresh`: ends with a new share on this device, which all but `register` have still to confirm. */
export function* obtainLane(s: ClientSurroundings, intent: Intent, root: RootSource): Program<Finished<Lane>> {
  return yield* conclude(s, yield* prepare(s, intent, root), acceptShare);
}

/** `export`: ends with the seed. */
export function* exportSeed(s: ClientSurroundings, intent: Intent, root: RootSource): Program<Finished<SecretBytes>> {
  return yield* conclude(s, yield* prepare(s, intent, root), acceptSeed);
}

/** Makes device keys and a request that is ready to be sent by {@link conclude}. */
export function* prepare(s: ClientSurroundings, intent: Intent, root: RootSource): Program<PendingCeremony> {
  const keys = createDeviceKeys(s);
  try {
    return pendingCeremony(yield* prepareRequest(s, intent, root, publicHalves(s, keys)), keys);
  } catch (error) {
    wipeDeviceKeys(keys);
    throw error;
  }
}

/**
 * Sends a request that is safely stored, and accepts its answer; sending it again is harmless. A final refusal ends it. However it
 * ends, the ceremony's keys are wiped from memory.
 */
export function* conclude<T>(
  s: ClientSurroundings,
  pending: PendingCeremony,
  accept: (s: ClientSurroundings, awaited: AwaitedCeremony, answer: CeremonyAnswer) => Program<T>,
): Program<Finished<T>> {
  const name = pendingName(pending.core.walletId, pending.core.keyIndex);
  try {
    using record = encodePending(pending);
    yield* keep(name, record);
    const answer = yield* askForCeremony(pending.request, name);
    return { result: yield* accept(s, pending, answer), answer };
  } finally {
    wipeDeviceKeys(pending);
  }
}

/** Asks for the ceremony of a request that is stored under `kept`. */
function* askForCeremony(request: CeremonyRequest, kept: string): Program<CeremonyAnswer> {
  let answer: unknown;
  try {
    answer = yield* ask('/v1/ceremonies', CeremonyRequest.toJson(request));
  } catch (error) {
    if (isFinal(error)) yield* keep(kept, null);
    throw error;
  }
  // One that cannot be read refuses nothing, and the request stays.
  return CeremonyAnswer.fromJson(answer);
}

/** Whether no answer to this very request can come any more. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof YaoError) || error.status >= 500) return false;
  return !error.retryable || error.code === 'ceremony_burned' || error.code === 'epoch_conflict';
}

/** `link`, on the device that approves: a request whose answer can be opened by the other device only. */
export function* prepareLink(
  s: ClientSurroundings,
  intent: Intent,
  root: RootSource,
  device: DevicePublicKeys,
): Program<CeremonyRequest> {
  const request = yield* prepareRequest(s, intent, root, device);
  using record = encodeLink(request);
  yield* keep(linkName(request.core.walletId, request.core.keyIndex), record);
  return request;
}

/** {@link prepareLink}, then {@link concludeLink}. @returns the ceremony id */
export function* linkDevice(
  s: ClientSurroundings,
  intent: Intent,
  root: RootSource,
  device: DevicePublicKeys,
): Program<Uint8Array> {
  return yield* concludeLink(yield* prepareLink(s, intent, root, device));
}

/** Sends the request of a `link` that is safely stored; sending it again is harmless. @returns the ceremony id */
export function* concludeLink(request: CeremonyRequest): Program<Uint8Array> {
  const kept = linkName(request.core.walletId, request.core.keyIndex);
  const { ceremonyId } = yield* askForCeremony(request, kept);
  yield* keep(kept, null);
  return ceremonyId;
}

/**
 * Where a ceremony stands, for a device that has a key of its core.
 * @throws YaoError `ceremony_unknown`
 */
export function* followCeremony(
  s: ClientSurroundings,
  walletId: string,
  ceremonyId: Uint8Array,
  laneSeed: SecretBytes,
): Program<FollowAnswer> {
  const statement = { deployment: s.pins.deployment, walletId, ceremonyId, issuedAtMs: s.now() };
  const signature = yield* signWith(laneSeed, FollowStatement.encode(statement));
  return FollowAnswer.fromJson(yield* ask('/v1/ceremonies/follow', FollowRequest.toJson({ statement, signature })));
}

/** What the approving device tells the linked one outside the Router. */
export interface LinkFacts {
  readonly walletId: string;
  readonly keyIndex: number;
  readonly publicKey: Uint8Array;
  readonly ceremonyId: Uint8Array;
}

/**
 * `link`, on the new device: fetches the answer of the approved ceremony, and accepts it only as what was approved. The keys stay
 * the caller's.
 */
export function* acceptLink(s: ClientSurroundings, facts: LinkFacts, keys: DeviceKeys): Program<Lane> {
  const { walletId, ceremonyId } = facts;
  const { answer } = yield* followCeremony(s, walletId, ceremonyId, keys.laneSeed);
  if (!answer) throw new YaoError('not_ready', 'the link is still under way; ask again in a moment');
  // The receipt's signatures are checked when the share is accepted; here it only has to state what was approved.
  const { core } = Receipt.decode(answer.receipt.payload);
  const own = publicHalves(s, keys);
  const approved =
    core.operation === 'link' &&
    core.walletId === walletId &&
    core.keyIndex === facts.keyIndex &&
    core.registeredKey !== null &&
    equalBytes(core.registeredKey, facts.publicKey) &&
    equalBytes(core.recipientKey, own.recipientKey) &&
    equalBytes(core.laneKey, own.laneKey);
  if (!approved) {
    throw new YaoError('request_mismatch', 'the Router answers with another ceremony than the approved one', { party: 'router' });
  }
  return yield* acceptShare(s, { core, ceremonyId, ...keys }, answer);
}

/**
 * Tells the SigningWorker, by a proof of possession, that the new share is stored; only on its signed statement may either share go.
 * @returns whether the new share is the lane's; if not, it waits no more, and the old one still signs
 * @throws YaoError `receipt_invalid`, and what the Router answers, on whose word nothing is forgotten
 */
export function* confirmLane(s: ClientSurroundings, lane: Lane): Program<boolean> {
  const { walletId, keyIndex, ceremonyId } = lane;
  const statement = { deployment: s.pins.deployment, walletId, keyIndex, lane: lane.lane, ceremonyId, nonce: s.random(32) };
  const possession = provePossession(s, lane.share, ConfirmStatement.encode(statement));
  const answer = ConfirmAnswer.fromJson(yield* ask('/v1/lanes/confirm', ConfirmRequest.toJson({ statement, possession })));
  const { outcome } = answer;
  if (outcome.state === 'gone') {
    yield* checkRefusal(s.pins, ConfirmStatement.digest(statement), outcome.signature);
    return false;
  }
  const activation = yield* checkActivation(s.pins, outcome.activation);
  if (activation.state !== 'active' || !equalBytes(activation.ceremonyId, ceremonyId) || activation.epoch !== lane.epoch) {
    throw new YaoError('receipt_invalid', 'the SigningWorker confirmed something else', { party: 'signing-worker' });
  }
  return true;
}
