import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { LIMITS, STANDARD_SETTINGS, YaoError } from '@streaming-yao/core';
import {
  type Exchange,
  intentOf,
  openScene,
  recallLane,
  registeredBeginning,
  type Scene,
  sign as signMessage,
} from '@streaming-yao/simulator';
import {
  type CeremonyRequest,
  Core,
  ceremonyIdOf,
  DeriverCall,
  type DeriverRole,
  GRANT_HEADER,
  Grant,
  KeysAnswer,
  type Operation,
  requesterMessage,
  signingInput,
  toCompact,
} from '@streaming-yao/wire';
import { createDeviceKeys, type Lane, prepareRequest, publicHalves } from '../src/client.ts';
import { call, type PeerRole, type Program, sign } from '../src/program.ts';

export interface HostileScene extends Scene {
  /** A registered key of the user. */
  readonly lane: Lane;
  /** Packages that left a Deriver or were taken in by the SigningWorker. */
  readonly released: readonly string[];
  /** A request that the user made and authorized. */
  request(operation: Operation): Promise<CeremonyRequest>;
  /** Runs a program of the Router's owner, who has its signing key and all that passes through it. */
  asRouter<T>(program: Program<T>): Promise<T>;
  /** The user still signs. */
  stillSigns(): Promise<boolean>;
}

export async function openHostileScene(name: string): Promise<HostileScene> {
  const released: string[] = [];
  const exchanged = ({ role, path, answer }: Exchange): void => {
    if (answer !== undefined && (path === '/ceremony' || path === '/activate')) released.push(`${role} ${path}`);
  };
  const scene = openScene(name, { beginning: await registeredBeginning(), observers: [{ exchanged }] });
  const lane = (await scene.run('recall', recallLane(scene.wallet.walletId))) as Lane;
  const router = scene.world.objects.of('router', 'shard-0');
  return {
    ...scene,
    lane,
    released,
    request: (operation) => scene.run('request', authorizedRequest(scene, operation, lane)),
    asRouter: async (program) => {
      const outcome = await scene.world.settle(scene.world.start(router, 'hostile', program));
      if ('error' in outcome) throw outcome.error;
      return outcome.value as never;
    },
    stillSigns: async () => {
      const signature = await scene.run('sign', signMessage(scene.surroundings, lane, new Uint8Array(1)));
      return ed25519.verify(signature, new Uint8Array(1), lane.publicKey);
    },
  };
}

function* authorizedRequest(scene: Scene, operation: Operation, lane: Lane): Program<CeremonyRequest> {
  const { surroundings, wallet } = scene;
  const registeredKey = operation === 'register' ? null : lane.publicKey;
  const intent = intentOf(surroundings, wallet, operation, { registeredKey, lane: lane.lane, expectedEpoch: lane.epoch });
  return yield* prepareRequest(
    surroundings,
    intent,
    wallet.device.root,
    publicHalves(surroundings, createDeviceKeys(surroundings)),
  );
}

/** What the Router makes of a request: anything, except what takes another party's key. */
export interface Relayed {
  readonly request: CeremonyRequest;
  /** What the Deriver is told of the other's envelope, where not the truth. */
  readonly peerEnvelope?: Uint8Array;
  readonly signingWorkerKey?: DeriverCall['signingWorkerKey'];
  readonly grant?: string;
}

/** Grants a request and hands it to one Deriver. @returns the error's code, or `answered` */
export function* relay(s: Scene, role: DeriverRole, relayed: Relayed): Program<string> {
  const { request } = relayed;
  const { core, authorization, authorityUpdates } = request;
  const digests = { a: sha256(request.envelopeA), b: sha256(request.envelopeB) };
  const [envelope, truth] =
    role === 'deriver-a' ? ([request.envelopeA, digests.b] as const) : ([request.envelopeB, digests.a] as const);
  const peerEnvelope = relayed.peerEnvelope ?? truth;
  const own = sha256(envelope);
  const ceremonyId = ceremonyIdOf(core, role === 'deriver-a' ? { a: own, b: peerEnvelope } : { a: peerEnvelope, b: own });
  const grant = relayed.grant ?? (yield* grantOf(s, core, ceremonyId));
  const signingWorkerKey = relayed.signingWorkerKey ?? (yield* keyOfSigningWorker(s));
  const body = { core, envelope, peerEnvelope, authorization, authorityUpdates, grant, signingWorkerKey, timeline: false };
  return yield* codeOf(s, role, '/ceremony', DeriverCall.toJson(body));
}

function* codeOf(s: Scene, role: PeerRole, path: string, body: unknown): Program<string> {
  try {
    yield* call({ role, path, body, deadlineMs: s.world.clockOf('router') + STANDARD_SETTINGS.ceremonyDeadlineMs });
    return 'answered';
  } catch (error) {
    if (error instanceof YaoError) return error.code;
    throw error;
  }
}

export function* grantOf(s: Scene, core: Core, ceremonyId: Uint8Array): Program<string> {
  const { circuitId, operation, walletId, deployment, profile } = core;
  const issuedAtMs = s.world.clockOf('router');
  const payload = Grant.encode({
    ...{ ceremonyId, circuitId, operation, walletId, deployment, profile, issuedAtMs },
    core: Core.digest(core),
    expiresAtMs: issuedAtMs + LIMITS.requestLifeMs,
  });
  return toCompact(GRANT_HEADER, payload, yield* sign(signingInput(GRANT_HEADER, payload)));
}

function* keyOfSigningWorker(s: Scene): Program<DeriverCall['signingWorkerKey']> {
  const deadlineMs = s.world.clockOf('router') + LIMITS.callTokenLifeMs;
  const { keys } = KeysAnswer.fromJson(yield* call({ role: 'signing-worker', path: '/keys', body: {}, deadlineMs }));
  return keys[0] as DeriverCall['signingWorkerKey'];
}

/** The request with other envelopes or another core, the requester's part signed anew by a key of the Router's own. */
export function resigned(request: CeremonyRequest, changes: Partial<CeremonyRequest>): CeremonyRequest {
  const seed = new Uint8Array(32).fill(7);
  const changed = { ...request, ...changes };
  const core = { ...changed.core, requesterKey: ed25519.getPublicKey(seed) };
  const ceremonyId = ceremonyIdOf(core, { a: sha256(changed.envelopeA), b: sha256(changed.envelopeB) });
  const requesterSignature = ed25519.sign(requesterMessage(ceremonyId), seed);
  return { ...changed, core, authorization: { ...request.authorization, requesterSignature } };
}
