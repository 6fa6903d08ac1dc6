import { sha256 } from '@noble/hashes/sha2.js';
import { LIMITS, ofThisVersion, SecretBytes, schema, YaoError } from '@streaming-yao/core';
import {
  Authority,
  authorizationMessage,
  CeremonyRequest,
  Core,
  ceremonyIdOf,
  DeploymentFacts,
  type HpkeKey,
  inputInfo,
  type Operation,
  PROTOCOL,
  type Role,
  requesterMessage,
  type SignedAuthority,
} from '@streaming-yao/wire';
import { decodedOnce } from './decoded-once.ts';
import { contribution, xorSecrets } from './derivation.ts';
import type { DeviceKeys, DevicePublicKeys } from './device-keys.ts';
import { circuitIdOf } from './operation.ts';
import { all, ask, authorizeBy, type Program, seal, signWith } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkHpkeKey } from './statement.ts';

/** What a user wants of a key. */
export interface Intent {
  readonly operation: Operation;
  readonly walletId: string;
  readonly keyIndex: number;
  readonly lane: number;
  readonly expectedEpoch: number;
  readonly registeredKey: Uint8Array | null;
  readonly retireOtherLanes: boolean;
  /** The authority in force after the updates. */
  readonly authority: Authority;
  readonly authorityUpdates: readonly SignedAuthority[];
  readonly credentialId: Uint8Array;
}

/** A request with what is needed to open its answer: persisted before it is sent, so that no crash loses the answer. */
const PendingRecord = schema.message(`${PROTOCOL} pending-ceremony`, {
  request: CeremonyRequest.codec,
  recipientKey: schema.bytes(32),
  laneSeed: schema.bytes(32),
});

/** A ceremony whose answer this device can open. */
export interface AwaitedCeremony extends DeviceKeys {
  readonly core: Core;
  readonly ceremonyId: Uint8Array;
}

export interface PendingCeremony extends AwaitedCeremony {
  readonly request: CeremonyRequest;
}

export function pendingCeremony(request: CeremonyRequest, keys: DeviceKeys): PendingCeremony {
  const { core, envelopeA, envelopeB } = request;
  return { request, core, ceremonyId: ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) }), ...keys };
}

export function encodePending({ request, recipientKey, laneSeed }: PendingCeremony): SecretBytes {
  return recipientKey.map((recipient) =>
    laneSeed.use((lane) => PendingRecord.encode({ request, recipientKey: recipient, laneSeed: lane })),
  );
}

/** @returns `undefined` for a record of an earlier version: its answer is as good as lost */
export function decodePending(secret: SecretBytes): PendingCeremony | undefined {
  const kept = ofThisVersion(() => secret.use(PendingRecord.decode));
  if (!kept) return undefined;
  const { request, recipientKey, laneSeed } = kept;
  return pendingCeremony(request, { recipientKey: SecretBytes.own(recipientKey), laneSeed: SecretBytes.own(laneSeed) });
}

/** A `link` has no key of the approving device to keep beside its request. */
export const encodeLink = (request: CeremonyRequest): SecretBytes => SecretBytes.own(CeremonyRequest.encode(request));
export const decodeLink = (record: SecretBytes): CeremonyRequest | undefined =>
  ofThisVersion(() => record.use(CeremonyRequest.decode));

export type RootSource = SecretBytes | (() => SecretBytes);

/**
 * Builds a request: splits the client's contribution between the Derivers, seals each part, has the credential authorize.
 * @param root the client root, 32 bytes; a function is called after the authorization, whose answer may be what unlocks it
 * @param device of the device that shall hold the new share
 */
export function* prepareRequest(
  s: ClientSurroundings,
  intent: Intent,
  root: RootSource,
  device: DevicePublicKeys,
): Program<CeremonyRequest> {
  const keys = yield* deploymentKeys(s);
  using requester = SecretBytes.own(s.random(32));
  const core = coreOf(s, intent, keys, { ...device, requesterKey: s.group.ed25519PublicKey(requester) });
  const { credentialId, authorityUpdates } = intent;
  const proof = yield* authorizeBy({ credentialId, message: authorizationMessage(Core.digest(core)) });
  using unlocked = typeof root === 'function' ? root() : root.map((bytes) => bytes.slice());
  const [envelopeA, envelopeB] = yield* sealInputs(s, core, keys, unlocked);
  const ceremonyId = ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) });
  const requesterSignature = yield* signWith(requester, requesterMessage(ceremonyId));
  const authorization = { proof, requesterSignature };
  return { core, envelopeA, envelopeB, authorization, authorityUpdates, roots: [], timeline: s.timeline ?? false };
}

interface DeploymentKeys {
  readonly a: HpkeKey;
  readonly b: HpkeKey;
  readonly signingWorker: HpkeKey;
}

/** A connection may give an answer that it keeps once more. */
const factsOf = decodedOnce(DeploymentFacts.fromJson);

/** Fetches the deployment's HPKE keys; believes those that a pinned role key signed. @throws YaoError `key_statement_invalid` */
function* deploymentKeys(s: ClientSurroundings): Program<DeploymentKeys> {
  const facts = factsOf(yield* ask('/.well-known/streaming-yao'));
  const [a, b, signingWorker] = yield* all(
    newestKey(s, facts, 'deriver-a'),
    newestKey(s, facts, 'deriver-b'),
    newestKey(s, facts, 'signing-worker'),
  );
  return { a, b, signingWorker };
}

function* newestKey(s: ClientSurroundings, { keys }: DeploymentFacts, role: Role): Program<HpkeKey> {
  const nowMs = s.now();
  const candidates = keys.filter(
    ({ statement }) => statement.role === role && statement.notBeforeMs <= nowMs && nowMs < statement.notAfterMs,
  );
  const newest = candidates.toSorted((left, right) => right.statement.notBeforeMs - left.statement.notBeforeMs)[0];
  if (!newest)
    throw new YaoError('key_statement_invalid', `the Router serves no HPKE key of ${role} for now`, { party: 'router' });
  return yield* checkHpkeKey(s.pins, role, nowMs, newest);
}

function coreOf(
  s: ClientSurroundings,
  intent: Intent,
  keys: DeploymentKeys,
  own: DevicePublicKeys & Pick<Core, 'requesterKey'>,
): Core {
  const { operation, walletId, keyIndex, lane, expectedEpoch, registeredKey, retireOtherLanes, authority } = intent;
  const issuedAtMs = s.now();
  return {
    suite: 'ed25519-sha512-halfgates-blake3',
    profile: s.pins.profile,
    deployment: s.pins.deployment,
    circuitId: circuitIdOf(operation),
    ...{ operation, walletId, keyIndex, lane, expectedEpoch, registeredKey, retireOtherLanes },
    authority: Authority.digest(authority),
    deriverAKeyId: keys.a.keyId,
    deriverBKeyId: keys.b.keyId,
    signingWorkerKeyId: keys.signingWorker.keyId,
    clientNonce: s.random(32),
    issuedAtMs,
    expiresAtMs: issuedAtMs + LIMITS.requestLifeMs,
    ...own,
  };
}

/** To A goes a fresh random r, to B the client's contribution XOR r: each alone is uniform noise. */
function* sealInputs(
  s: ClientSurroundings,
  core: Core,
  keys: DeploymentKeys,
  root: SecretBytes,
): Program<readonly [Uint8Array, Uint8Array]> {
  using contributed = contribution(root, 'client', core);
  using toA = SecretBytes.own(s.random(32));
  using toB = xorSecrets(contributed, toA);
  const aad = Core.digest(core);
  return yield* all(
    seal({ publicKey: keys.a.publicKey, info: inputInfo('deriver-a'), aad, plaintext: toA }),
    seal({ publicKey: keys.b.publicKey, info: inputInfo('deriver-b'), aad, plaintext: toB }),
  );
}
