import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, type SecretBytes, toHex, utf8, YaoError } from '@streaming-yao/core';
import {
  Core,
  ceremonyIdOf,
  type DeriverAnswer,
  DeriverCall,
  type DeriverRole,
  type Grant,
  type HpkeKey,
  inputInfo,
  PackageContext,
  packageInfo,
} from '@streaming-yao/wire';
import { type Authorized, authorize, credentialsChanged, isSameAuthority, isStillInForce } from './authorization.ts';
import { decodedOnce } from './decoded-once.ts';
import { contribution, xorSecrets } from './derivation.ts';
import {
  checkKey,
  type KeyRecord,
  notePending,
  raiseFloor,
  readAuthority,
  readCeremony,
  readKey,
  writeAuthority,
  writeCeremony,
  writeKey,
} from './deriver-record.ts';
import { circuitIdOf } from './operation.ts';
import { packageContext } from './package.ts';
import { open, type Program, seal, type Transaction, transact } from './program.ts';
import type { DeriverSurroundings } from './role.ts';
import { checkGrant, checkHpkeKey } from './statement.ts';
import { TimelineRecorder } from './timeline.ts';

/** A ceremony that a Deriver has found to be admitted, authorized and in keeping with its records. */
export interface Admitted {
  readonly self: DeriverRole;
  readonly core: Core;
  readonly ceremonyId: Uint8Array;
  readonly grantDigest: Uint8Array;
  readonly authorized: Authorized;
  readonly signingWorkerKey: HpkeKey;
  readonly deadlineMs: number;
  /** When the ceremony's record goes; no request for it is accepted by then. */
  readonly deleteAtMs: number;
  /** Where the client asked for a timeline. */
  readonly recorder: TimelineRecorder | undefined;
}

/** What a Deriver is asked to take part in. */
export interface AskedCeremony {
  readonly call: DeriverCall;
  /** 32 bytes. */
  readonly ceremonyId: Uint8Array;
}

export const askedOf = (self: DeriverRole): ((body: unknown) => AskedCeremony) =>
  decodedOnce((body) => {
    const call = DeriverCall.fromJson(body);
    const own = sha256(call.envelope);
    const envelopes = self === 'deriver-a' ? { a: own, b: call.peerEnvelope } : { a: call.peerEnvelope, b: own };
    return { call, ceremonyId: ceremonyIdOf(call.core, envelopes) };
  });

/**
 * Everything a Deriver checks before it opens an envelope; nothing is stored for what is refused.
 * @returns the stored answer where this very ceremony was completed before
 */
export function* admit(
  s: DeriverSurroundings,
  self: DeriverRole,
  { call, ceremonyId }: AskedCeremony,
): Program<Admitted | DeriverAnswer> {
  const { core } = call;
  const within = { ceremonyId: toHex(ceremonyId) };
  const deleteAtMs = core.expiresAtMs + s.settings.retentionMs;
  const recorder = call.timeline ? new TimelineRecorder(self, s) : undefined;
  try {
    const nowMs = s.now();
    const grant = yield* checkGrant({ pins: s.pins, nowMs, ceremonyId }, Core.digest(core), call.grant);
    checkConfiguration(s, self, core, grant);
    const signingWorkerKey = yield* checkHpkeKey(s.pins, 'signing-worker', nowMs, call.signingWorkerKey);
    if (signingWorkerKey.keyId !== core.signingWorkerKeyId) {
      throw new YaoError('key_statement_invalid', 'the SigningWorker’s key is not the one that the request names', {
        party: 'router',
      });
    }
    const found = yield* transact((tx) => ({
      ceremony: readCeremony(tx, ceremonyId),
      recorded: readAuthority(tx, core.walletId),
    }));
    const { authorization, authorityUpdates } = call;
    const authorized = yield* authorize({
      rules: s,
      nowMs,
      core,
      ceremonyId,
      authorization,
      authorityUpdates,
      recorded: found.recorded,
    });
    if (found.ceremony?.answer) return found.ceremony.answer;
    // Joined requests share one run, so a record without an answer is what a run that died has left.
    if (found.ceremony) yield* burn(ceremonyId, deleteAtMs);
    yield* transact((tx) => checkKey(core, readKey(tx, core)));
    const deadlineMs = nowMs + s.settings.ceremonyDeadlineMs;
    const grantDigest = s.hashing.sha256(utf8(call.grant));
    return { self, core, ceremonyId, grantDigest, authorized, signingWorkerKey, deadlineMs, deleteAtMs, recorder };
  } catch (error) {
    throw error instanceof YaoError ? error.within(within) : error;
  }
}

/** Marks a ceremony as never to be run. @throws YaoError `ceremony_burned` always */
function* burn(ceremonyId: Uint8Array, deleteAtMs: number): Program<never> {
  yield* transact((tx) => writeCeremony(tx, ceremonyId, { state: 'burned', answer: null }, deleteAtMs));
  throw new YaoError('ceremony_burned', 'this ceremony was broken off and cannot run again; make a new request');
}

function checkConfiguration(s: DeriverSurroundings, self: DeriverRole, core: Core, grant: Grant): void {
  const circuitId = circuitIdOf(core.operation);
  if (!equalBytes(core.circuitId, circuitId) || !equalBytes(grant.circuitId, circuitId)) {
    throw new YaoError('circuit_mismatch', `the request names another circuit than ${toHex(circuitId)}`, { party: 'client' });
  }
  const keyId = self === 'deriver-a' ? core.deriverAKeyId : core.deriverBKeyId;
  const nowMs = s.now();
  const key = s.hpkeKeys.find((candidate) => candidate.keyId === keyId);
  if (!key || nowMs < key.notBeforeMs || key.notAfterMs <= nowMs) {
    throw new YaoError('key_statement_invalid', `${self} has no HPKE key ${keyId} now; fetch the deployment’s keys again`, {
      party: 'client',
    });
  }
}

/**
 * The own half of the seed: what the client sent for this role, XOR the own contribution. 32 bytes.
 * @throws YaoError `envelope_rejected`
 */
export function* openInput(s: DeriverSurroundings, { self, core }: Admitted, envelope: Uint8Array): Program<SecretBytes> {
  const keyId = self === 'deriver-a' ? core.deriverAKeyId : core.deriverBKeyId;
  using sent = yield* open({ keyId, info: inputInfo(self), aad: Core.digest(core), envelope });
  using own = contribution(s.derivationRoot, self, core);
  return xorSecrets(sent, own);
}

/** In the transaction that takes the ticket: the authority and the epoch floor that this request establishes, and `running`. */
export function startCeremony(tx: Transaction, { core, ceremonyId, authorized, deleteAtMs }: Admitted): void {
  // Joined requests and this transaction's atomicity make one run; a second look costs nothing and states the rule.
  if (readCeremony(tx, ceremonyId)) throw new YaoError('ceremony_burned', 'this ceremony has run already; make a new request');
  const record = readKey(tx, core);
  checkKey(core, record);
  const recorded = readAuthority(tx, core.walletId);
  if (!isStillInForce(recorded, authorized)) throw credentialsChanged();
  if (core.operation !== 'register') {
    if (!isSameAuthority(recorded, authorized.authority)) writeAuthority(tx, authorized.authority);
    if (record) writeKey(tx, core, raiseFloor(record, core));
  }
  writeCeremony(tx, ceremonyId, { state: 'running', answer: null }, deleteAtMs);
}

/** What both Derivers know at the end of a ceremony. */
export interface Outcome {
  readonly publicKey: Uint8Array;
  readonly seedCommitment: Uint8Array | undefined;
  readonly answer: DeriverAnswer;
}

/** In one transaction: the answer for redelivery, and for `register` what it has come to. */
export function completeCeremony(
  tx: Transaction,
  { core, ceremonyId, authorized, deleteAtMs }: Admitted,
  outcome: Outcome,
): void {
  const { publicKey, seedCommitment, answer } = outcome;
  writeCeremony(tx, ceremonyId, { state: 'completed', answer }, deleteAtMs);
  if (core.operation !== 'register' || !seedCommitment) return;
  checkKey(core, readKey(tx, core));
  notePending(tx, core, ceremonyId, { publicKey, seedCommitment, authority: authorized.authority });
}

/** Runs a ceremony; whatever goes wrong from here on burns it. */
export function* burningOnFailure<T>({ ceremonyId, deleteAtMs }: Admitted, program: Program<T>): Program<T> {
  try {
    return yield* program;
  } catch (error) {
    yield* transact((tx) => {
      if (readCeremony(tx, ceremonyId)?.state === 'running')
        writeCeremony(tx, ceremonyId, { state: 'burned', answer: null }, deleteAtMs);
    });
    throw error instanceof YaoError ? error.within({ ceremonyId: toHex(ceremonyId) }) : error;
  }
}

/**
 * Compares what the two Derivers computed with the key on record. @throws YaoError `key_mismatch`
 * @param publicKey sum of the four share commitments; absent for `export`
 * @param seedCommitment sum of both seed commitments; `register` and `export` only
 */
export function checkAgainstRecord(
  core: Core,
  record: KeyRecord | undefined,
  publicKey: Uint8Array | undefined,
  seedCommitment: Uint8Array | undefined,
): void {
  if (core.operation === 'register') return;
  const fits =
    record &&
    (!publicKey || equalBytes(publicKey, record.publicKey)) &&
    (!seedCommitment || equalBytes(seedCommitment, record.seedCommitment));
  if (!fits) {
    throw new YaoError(
      'key_mismatch',
      'the inputs do not lead to the registered key; unwrap the client root that registered it',
      { party: 'client' },
    );
  }
}

/** Seals one output share to its recipient; no type here can address an `export` to the SigningWorker. */
export function* sealPackage(
  admitted: Admitted,
  recipient: 'client' | 'signing-worker',
  share: SecretBytes,
): Program<Uint8Array> {
  const { self, core, signingWorkerKey } = admitted;
  const publicKey = recipient === 'client' ? core.recipientKey : signingWorkerKey.publicKey;
  const aad = PackageContext.encode(packageContext(admitted, self, recipient));
  return yield* seal({ publicKey, info: packageInfo(self, recipient), aad, plaintext: share });
}
