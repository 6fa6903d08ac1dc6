import { type DevicePublicKeys, type LinkFacts, linkDevice } from '@streaming-yao/ceremony/client';
import { ask, authorizeBy, type Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { LanesAnswer, LanesRequest, LanesStatement, RevokeAnswer, RevokeRequest, RevokeStatement } from '@streaming-yao/wire';
import { ownLane } from './obtain.ts';
import { credentialOf, intentOf, type Wallet } from './wallet.ts';

/** The key and its lanes, as the SigningWorker has them. */
export function* lanesOf(s: ClientSurroundings, wallet: Wallet): Program<LanesAnswer> {
  const statement = { deployment: s.pins.deployment, walletId: wallet.walletId, keyIndex: 0, issuedAtMs: s.now() };
  const credentialId = credentialOf(wallet);
  const signature = yield* authorizeBy({ credentialId, message: LanesStatement.encode(statement) });
  return LanesAnswer.fromJson(yield* ask('/v1/lanes', LanesRequest.toJson({ statement, credentialId, signature })));
}

/** On a device that has a lane: lets another one have a lane too. */
export function* approveLink(s: ClientSurroundings, wallet: Wallet, device: DevicePublicKeys): Program<LinkFacts> {
  const { publicKey } = yield* ownLane(wallet);
  const { nextLane } = yield* lanesOf(s, wallet);
  const intent = yield* intentOf(s, wallet, 'link', { registeredKey: publicKey, lane: nextLane });
  const ceremonyId = yield* linkDevice(s, intent, wallet.device.root, device);
  return { walletId: wallet.walletId, keyIndex: 0, publicKey, ceremonyId };
}

/** Ends a lane at once. */
export function* revoke(s: ClientSurroundings, wallet: Wallet, lane: number): Program<void> {
  const { walletId } = wallet;
  const statement = {
    deployment: s.pins.deployment,
    walletId,
    keyIndex: 0,
    lane,
    issuedAtMs: s.now(),
    nonce: s.random(32),
  };
  const credentialId = credentialOf(wallet);
  const signature = yield* authorizeBy({ credentialId, message: RevokeStatement.encode(statement) });
  RevokeAnswer.fromJson(yield* ask('/v1/lanes/revoke', RevokeRequest.toJson({ statement, credentialId, signature })));
}
