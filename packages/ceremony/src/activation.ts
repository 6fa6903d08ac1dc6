import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import {
  ACTIVATION_HEADER,
  Activation,
  type ActivationCall,
  type ActivationEvidence,
  type ConfirmAnswer,
  ConfirmRefusal,
  type ConfirmRequest,
  ConfirmStatement,
  Core,
  ceremonyIdOf,
  type LaneName,
  PackageContext,
  packageInfo,
  type Receipt as ReceiptFields,
  signingInput,
  toCompact,
} from '@streaming-yao/wire';
import { type Authorized, authorize, credentialsChanged, isSameAuthority, isStillInForce } from './authorization.ts';
import { eraseEnded } from './erasure.ts';
import { dropApproved, dropLane } from './live-lane.ts';
import { newEpochOf } from './operation.ts';
import { packageContext } from './package.ts';
import { open, type Program, sign, type Transaction, transact, vaultWrite, verify } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import { endSessions, takeAuthority } from './signing-session-record.ts';
import {
  checkPlace,
  checkWaiting,
  dropStaged,
  endLane,
  keyIndexesOf,
  type LaneRecord,
  laneKeyOf,
  lanesOf,
  noteShare,
  readActivation,
  readAuthority,
  readKey,
  readLane,
  shareContext,
  slotOf,
  stageLane,
  writeActivation,
  writeKey,
  writeLane,
} from './signing-worker-record.ts';
import { checkGrant, checkReceipt } from './statement.ts';

export interface AcceptedShare {
  readonly receipt: ReceiptFields;
  /** xs */
  readonly share: SecretBytes;
  readonly serverShare: Uint8Array;
  readonly clientShare: Uint8Array;
}

/**
 * Takes over the SigningWorker's share of a new lane. docs/protocol.md section 8.
 * @returns the compact JWS of the activation; the same one for the same ceremony
 */
export function* activate(s: SigningWorkerSurroundings, call: ActivationCall): Program<string> {
  const { core } = call;
  const ceremonyId = ceremonyIdOf(core, { a: call.envelopeA, b: call.envelopeB });
  try {
    const nowMs = s.now();
    yield* checkGrant({ pins: s.pins, nowMs, ceremonyId }, Core.digest(core), call.grant);
    const recorded = yield* transact(readAuthority);
    const { authorization, authorityUpdates } = call;
    const authorized = yield* authorize({
      rules: s,
      nowMs,
      core,
      ceremonyId,
      authorization,
      authorityUpdates,
      recorded,
    });
    const before = yield* transact((tx) => {
      const done = activationOf(tx, ceremonyId);
      if (!done) checkPlace(tx, core, ceremonyId);
      return done;
    });
    if (before) return before;
    const accepted = yield* acceptShare(s, call, ceremonyId);
    using share = accepted.share;
    const activation = yield* takePlace(s, call, ceremonyId, authorized, { ...accepted, share });
    if (authorityUpdates.length > 0) dropApproved(s);
    return activation;
  } catch (error) {
    throw error instanceof YaoError ? error.within({ ceremonyId: toHex(ceremonyId) }) : error;
  }
}

function activationOf(tx: Transaction, ceremonyId: Uint8Array): string | undefined {
  return readActivation(tx, ceremonyId, 'staged') ?? readActivation(tx, ceremonyId, 'active');
}

/** Opens both packages and checks them against the receipt. @throws YaoError `receipt_invalid`, `package_rejected`, `commitment_mismatch` */
function* acceptShare(s: SigningWorkerSurroundings, call: ActivationCall, ceremonyId: Uint8Array): Program<AcceptedShare> {
  const receipt = yield* checkReceipt({ pins: s.pins, ceremonyId }, call.receipt);
  const { commitments, signingWorkerPackages: digests } = receipt;
  if (!equalBytes(Core.encode(receipt.core), Core.encode(call.core)) || !commitments || !digests) {
    throw new YaoError('receipt_invalid', 'the receipt states another request, or no share for the SigningWorker', {
      party: 'router',
    });
  }
  using a = yield* openPackage(call, ceremonyId, 'deriver-a', call.packageA, digests.a);
  using b = yield* openPackage(call, ceremonyId, 'deriver-b', call.packageB, digests.b);
  const { client, signingWorker } = commitments;
  const [serverA, serverB] = s.group.commitTwo(a, b);
  const serverShare = s.group.sumOfPoints([serverA, serverB]);
  const clientShare = s.group.sumOfPoints([client.a, client.b]);
  const sum = s.group.sumOfPoints([clientShare, serverShare]);
  if (
    !equalBytes(serverA.encoded, signingWorker.a) ||
    !equalBytes(serverB.encoded, signingWorker.b) ||
    !equalBytes(sum.encoded, receipt.publicKey)
  ) {
    throw new YaoError(
      'commitment_mismatch',
      'the shares do not fit the commitments of the receipt, or these not the public key',
    );
  }
  return {
    receipt,
    share: s.group.addScalars(a, b),
    serverShare: serverShare.encoded,
    clientShare: clientShare.encoded,
  };
}

function* openPackage(
  { core }: ActivationCall,
  ceremonyId: Uint8Array,
  source: 'deriver-a' | 'deriver-b',
  envelope: Uint8Array,
  digest: Uint8Array,
): Program<SecretBytes> {
  if (!equalBytes(sha256(envelope), digest)) {
    throw new YaoError('package_rejected', `the package of ${source} is not the one that the receipt names`, { party: 'router' });
  }
  const aad = PackageContext.encode(packageContext({ core, ceremonyId }, source, 'signing-worker'));
  return yield* open({ keyId: core.signingWorkerKeyId, info: packageInfo(source, 'signing-worker'), aad, envelope });
}

/** A `register` is active at once; any other share waits beside the old one until its device confirms. */
function* takePlace(
  s: SigningWorkerSurroundings,
  { core, authorization }: ActivationCall,
  ceremonyId: Uint8Array,
  authorized: Authorized,
  accepted: AcceptedShare,
): Program<string> {
  const { share, serverShare, clientShare, receipt } = accepted;
  const epoch = newEpochOf(core);
  const { publicKey } = receipt;
  const nowMs = s.now();
  const { laneKey, retireOtherLanes } = core;
  const record: LaneRecord = {
    epoch,
    ceremonyId,
    publicKey,
    clientShare,
    serverShare,
    laneKey,
    retireOtherLanes,
    activatedAtMs: nowMs,
  };
  const deleteAtMs = nowMs + s.settings.stagedLaneMs;
  // A register has nobody to wait for; should a crash end it here, another may soon take its place.
  const stagedUntilMs = core.operation === 'register' ? nowMs + s.settings.ceremonyDeadlineMs : deleteAtMs;
  const before = yield* transact((tx) => {
    const done = activationOf(tx, ceremonyId);
    if (done) return done;
    checkPlace(tx, core, ceremonyId);
    if (!isStillInForce(readAuthority(tx), authorized)) throw credentialsChanged();
    stageLane(tx, core, { lane: record, approvedBy: authorization.proof.credentialId }, stagedUntilMs);
    noteShare(tx, slotOf(core, record));
    return undefined;
  });
  if (before) return before;
  yield* vaultWrite({ ...slotOf(core, record), sealed: s.sealer.seal(shareContext(core, record), share) });
  const state = core.operation === 'register' ? 'active' : 'staged';
  // What is active cannot be staged again: the statement must be there whenever the same request may still come.
  const forgottenAtMs = state === 'active' ? Math.max(deleteAtMs, core.expiresAtMs + s.settings.retentionMs) : deleteAtMs;
  const statement = yield* signActivation(s, core, record, state);
  const taken = yield* transact((tx) => {
    // The same call may have come twice.
    const done = activationOf(tx, ceremonyId);
    if (done) return done;
    checkPlace(tx, core, ceremonyId);
    checkWaiting(tx, core, ceremonyId);
    const recorded = readAuthority(tx);
    if (!isStillInForce(recorded, authorized)) {
      tx.delete('staged', laneKeyOf(core));
      return undefined;
    }
    if (!isSameAuthority(recorded, authorized.authority)) takeAuthority(tx, authorized.authority);
    if (state === 'active') {
      writeKey(tx, core.keyIndex, { publicKey, nextLane: core.lane });
      replaceLane(tx, core, record);
    }
    writeActivation(tx, ceremonyId, state, statement, forgottenAtMs);
    return statement;
  });
  if (taken) return taken;
  s.background(eraseEnded());
  throw credentialsChanged();
}

function* signActivation(
  s: SigningWorkerSurroundings,
  name: LaneName,
  record: LaneRecord,
  state: 'staged' | 'active',
): Program<string> {
  const { walletId, keyIndex, lane } = name;
  const { ceremonyId, epoch, publicKey, serverShare, laneKey } = record;
  const { deployment } = s.pins;
  const payload = Activation.encode({
    deployment,
    ceremonyId,
    walletId,
    keyIndex,
    lane,
    epoch,
    state,
    publicKey,
    serverShare,
    laneKey,
    atMs: s.now(),
  });
  return toCompact(ACTIVATION_HEADER, payload, yield* sign(signingInput(ACTIVATION_HEADER, payload)));
}

/**
 * Promotes a staged share whose device has proved that it holds the other half: one transaction makes the new epoch the lane's,
 * retires what the core retires and notes the old shares for erasure. Repeats give the same statement.
 * @throws YaoError `ceremony_unknown` in another deployment, and when the share goes just now; `authorization_invalid`
 */
export function* confirm(s: SigningWorkerSurroundings, { statement, possession }: ConfirmRequest): Program<ConfirmAnswer> {
  const { ceremonyId } = statement;
  if (statement.deployment !== s.pins.deployment)
    throw new YaoError('ceremony_unknown', `there is no such ceremony in ${s.pins.deployment}`, { party: 'client' });
  const found = yield* transact((tx) => ({
    done: readActivation(tx, ceremonyId, 'active'),
    staged: readLane(tx, 'staged', statement),
    active: readLane(tx, 'lane', statement),
  }));
  const record = [found.staged, found.active].find((candidate) => candidate && equalBytes(candidate.ceremonyId, ceremonyId));
  if (!record) {
    const refusal = ConfirmRefusal.encode({ asked: ConfirmStatement.digest(statement) });
    return { outcome: { state: 'gone', signature: yield* sign(refusal) } };
  }
  const message = ConfirmStatement.encode(statement);
  if (!(yield* verify({ algorithm: 'ed25519', publicKey: record.clientShare, message, signature: possession }))) {
    throw new YaoError('authorization_invalid', 'the confirmation does not prove that the device holds the new share', {
      party: 'client',
    });
  }
  return { outcome: { state: 'active', activation: found.done ?? (yield* activated(s, statement, record, found.active)) } };
}

function* activated(
  s: SigningWorkerSurroundings,
  name: LaneName,
  record: LaneRecord,
  active: LaneRecord | undefined,
): Program<string> {
  // Long active, and the statement that said so is deleted: a device that was away for so long must still learn it.
  return record === active ? yield* signActivation(s, name, record, 'active') : yield* promote(s, name, record);
}

/** See {@link confirm}; also what a first signature under a staged epoch leads to. */
export function* promote(s: SigningWorkerSurroundings, name: LaneName, record: LaneRecord): Program<string> {
  const statement = yield* signActivation(s, name, record, 'active');
  const retired = yield* transact((tx) => {
    const staged = readLane(tx, 'staged', name);
    const done = readActivation(tx, record.ceremonyId, 'active');
    if (done) return { statement: done, lanes: [] };
    if (!staged || !equalBytes(staged.ceremonyId, record.ceremonyId)) {
      throw new YaoError('ceremony_unknown', 'no share of this ceremony waits here any more', { party: 'client' });
    }
    writeActivation(tx, record.ceremonyId, 'active', statement, s.now() + s.settings.stagedLaneMs);
    return { statement, lanes: replaceLane(tx, name, staged) };
  });
  for (const lane of [name.lane, ...retired.lanes]) dropLane(s, { ...name, lane });
  s.background(eraseEnded());
  return retired.statement;
}

/** States of each key that it lives, by one of its lanes. @throws YaoError `unknown_wallet` when the wallet has none */
export function* evidenceOf(s: SigningWorkerSurroundings, walletId: string): Program<ActivationEvidence> {
  const { authority, living } = yield* transact((tx) => ({
    authority: readAuthority(tx),
    living: keyIndexesOf(tx).flatMap((keyIndex) => {
      const [first] = lanesOf(tx, keyIndex);
      return first ? [{ keyIndex, ...first }] : [];
    }),
  }));
  if (!authority || living.length === 0)
    throw new YaoError('unknown_wallet', `no wallet ${walletId} is registered here`, { party: 'client' });
  const activations: string[] = [];
  for (const { keyIndex, lane, record } of living) {
    activations.push(yield* signActivation(s, { walletId, keyIndex, lane }, record, 'active'));
  }
  return { authority, activations };
}

/** @returns the other lanes that end with it */
function replaceLane(tx: Transaction, name: LaneName, staged: LaneRecord): readonly number[] {
  const { keyIndex, lane } = name;
  const others = staged.retireOtherLanes ? lanesOf(tx, keyIndex).filter((other) => other.lane !== lane) : [];
  for (const other of others) endLane(tx, { keyIndex, lane: other.lane });
  for (const ended of [lane, ...others.map((other) => other.lane)]) endSessions(tx, { keyIndex, lane: ended });
  if (staged.retireOtherLanes) dropStaged(tx, keyIndex);
  tx.delete('staged', laneKeyOf(name));
  writeLane(tx, name, staged);
  const key = readKey(tx, keyIndex);
  if (key && lane >= key.nextLane) writeKey(tx, keyIndex, { ...key, nextLane: lane + 1 });
  return others.map((other) => other.lane);
}
