import { ed25519 } from '@noble/curves/ed25519.js';
import {
  askLanes,
  type DevicePublicKeys,
  type KeyLanes,
  type LinkFacts,
  lanesOfKey,
  linkDevice,
} from '@streaming-yao/ceremony/client';
import { ask, authorizeBy, type Program, signWith } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { LIMITS, SecretBytes } from '@streaming-yao/core';
import {
  LanesStatement,
  RevokeAnswer,
  RevokeRequest,
  RevokeStatement,
  type Session,
  SessionStatement,
} from '@streaming-yao/wire';
import { ownLane } from './obtain.ts';
import { credentialOf, intentOf, type Wallet } from './wallet.ts';

/** The key and its lanes, as the SigningWorker has them. */
export function* lanesOf(s: ClientSurroundings, wallet: Wallet): Program<KeyLanes> {
  const statement = { deployment: s.pins.deployment, walletId: wallet.walletId, keyIndex: 0, issuedAtMs: s.now() };
  using seed = SecretBytes.own(s.random(32));
  const session = yield* openSession(s, wallet, seed);
  const signature = yield* signWith(seed, LanesStatement.encode(statement));
  const reader = { kind: 'session', session, signature } as const;
  return lanesOfKey(0, yield* askLanes(s, { statement, reader }));
}

function* openSession(s: ClientSurroundings, wallet: Wallet, seed: SecretBytes): Program<Session> {
  const issuedAtMs = s.now();
  const statement = {
    deployment: s.pins.deployment,
    sessionKey: seed.use(ed25519.getPublicKey),
    issuedAtMs,
    expiresAtMs: issuedAtMs + LIMITS.sessionLifeMs,
  };
  const proof = yield* authorizeBy({ credentialId: credentialOf(wallet), message: SessionStatement.encode(statement) });
  return { statement, proof };
}

/** On a device that has a lane: lets another one have a lane too. */
export function* approveLink(s: ClientSurroundings, wallet: Wallet, device: DevicePublicKeys): Program<LinkFacts> {
  const { publicKey } = yield* ownLane(wallet);
  const { nextLane, authority } = yield* lanesOf(s, wallet);
  const intent = intentOf(s, wallet, 'link', { registeredKey: publicKey, lane: nextLane }, authority);
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
  const proof = yield* authorizeBy({ credentialId: credentialOf(wallet), message: RevokeStatement.encode(statement) });
  RevokeAnswer.fromJson(yield* ask('/v1/lanes/revoke', RevokeRequest.toJson({ statement, proof })));
}
