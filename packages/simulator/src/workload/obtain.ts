import {
  acceptLink,
  acceptShare,
  conclude,
  confirmLane,
  type DeviceKeys,
  decodePending,
  type Finished,
  type Lane,
  type LinkFacts,
  obtainLane,
  pendingName,
} from '@streaming-yao/ceremony/client';
import { keep, type Program, recall } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { YaoError } from '@streaming-yao/core';
import { lanesOf } from './lanes.ts';
import { forgetLane, keepLane, recallLane } from './records.ts';
import { intentOf, type Wallet } from './wallet.ts';

const KEY = 0;

/** Registers the wallet's key. */
export function* register(s: ClientSurroundings, wallet: Wallet): Program<Finished<Lane>> {
  const intent = intentOf(s, wallet, 'register', { registeredKey: null, lane: 1 });
  const finished = yield* obtainLane(s, intent, wallet.device.root);
  yield* keepActive(finished.result);
  return finished;
}

/** Replaces both shares of this device's lane. */
export function* refresh(s: ClientSurroundings, wallet: Wallet): Program<Finished<Lane>> {
  const { lane, epoch, publicKey } = yield* ownLane(wallet);
  const { authority } = yield* lanesOf(s, wallet);
  const intent = intentOf(s, wallet, 'refresh', { registeredKey: publicKey, lane, expectedEpoch: epoch }, authority);
  const finished = yield* obtainLane(s, intent, wallet.device.root);
  yield* keepStaged(s, finished.result);
  return finished;
}

/** Gives this device a lane with nothing but a credential and the root; all other lanes end. */
export function* recover(s: ClientSurroundings, wallet: Wallet): Program<Finished<Lane>> {
  const { publicKey, nextLane, authority } = yield* lanesOf(s, wallet);
  const place = { registeredKey: publicKey, lane: nextLane, retireOtherLanes: true };
  const intent = intentOf(s, wallet, 'recover', place, authority);
  const finished = yield* obtainLane(s, intent, wallet.device.root);
  yield* keepStaged(s, finished.result);
  return finished;
}

/** On the new device: takes over the lane that the other one has approved. */
export function* acceptLinked(s: ClientSurroundings, facts: LinkFacts, keys: DeviceKeys): Program<Lane> {
  const lane = yield* acceptLink(s, facts, keys);
  yield* keepStaged(s, lane);
  return lane;
}

/** @throws YaoError `not_ready` without a lane on this device */
export function* ownLane({ walletId }: Wallet): Program<Lane> {
  const lane = yield* recallLane(walletId);
  if (!lane) throw new YaoError('not_ready', 'this device has no lane', { party: 'client' });
  return lane;
}

/** Ends what a crash or a lost answer has interrupted. */
export function* resume(s: ClientSurroundings, { walletId }: Wallet): Program<void> {
  const next = yield* recallLane(walletId, 'next');
  if (next) return yield* confirm(s, next);
  const name = pendingName(walletId, KEY);
  const kept = yield* recall(name);
  if (!kept) return;
  const pending = decodePending(kept);
  if (!pending || pending.core.operation === 'export' || pending.core.expiresAtMs < s.now()) return yield* keep(name, null);
  const { operation } = pending.core;
  const { result: lane } = yield* conclude(s, pending, acceptShare);
  if (operation === 'register') yield* keepActive(lane);
  else yield* keepStaged(s, lane);
}

/** The share becomes durable before the request that could fetch it again is forgotten. */
function* keepActive(lane: Lane): Program<void> {
  yield* keepLane('lane', lane);
  yield* keep(pendingName(lane.walletId, KEY), null);
}

function* keepStaged(s: ClientSurroundings, lane: Lane): Program<void> {
  yield* keepLane('next', lane);
  yield* keep(pendingName(lane.walletId, KEY), null);
  yield* confirm(s, lane);
}

/** The old share goes on the SigningWorker's statement only. */
function* confirm(s: ClientSurroundings, lane: Lane): Program<void> {
  if (!(yield* confirmLane(s, lane))) {
    yield* forgetLane('next', lane.walletId);
    throw new YaoError('ceremony_unknown', 'the new share was confirmed too late and the old one still signs');
  }
  yield* keepLane('lane', lane);
  yield* forgetLane('next', lane.walletId);
}
