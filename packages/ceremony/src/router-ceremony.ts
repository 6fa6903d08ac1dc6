import { sha256 } from '@noble/hashes/sha2.js';
import { type ErrorCode, equalBytes, type Json, LIMITS, toHex, YaoError } from '@streaming-yao/core';
import {
  ActivationAnswer,
  ActivationCall,
  type Authority,
  Cancellation,
  CeremonyAnswer,
  CeremonyHandle,
  CeremonyRequest,
  Core,
  ceremonyIdOf,
  DeriverAnswer,
  DeriverCall,
  type DeriverRole,
  GRANT_HEADER,
  Grant,
  type SignedReceipt,
  signedReceiptJson,
  signingInput,
  type Timeline,
  toCompact,
} from '@streaming-yao/wire';
import { type Asker, admitOnce, checkWay, forgetNonce } from './admission.ts';
import { authorize } from './authorization.ts';
import { decodedOnce } from './decoded-once.ts';
import { servedKey } from './deployment.ts';
import { all, call, type Program, sign, type Transaction, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { finishChange } from './router-authority.ts';
import { announce, learn } from './router-evidence.ts';
import {
  forgetCeremony,
  noteActivation,
  readAuthority,
  readCeremony,
  readChange,
  readNotices,
  writeAuthority,
  writeCeremony,
} from './router-record.ts';
import { checkBroughtRoots, putRoot } from './router-root.ts';
import { notedCall, TimelineRecorder } from './timeline.ts';

/** Where a client asks how its ceremony stands. */
export const FOLLOW_PATH = '/v1/ceremonies/follow';

interface Ids {
  readonly envelopes: { readonly a: Uint8Array; readonly b: Uint8Array };
  readonly ceremonyId: Uint8Array;
}

const asked = decodedOnce((body) => {
  const request = CeremonyRequest.fromJson(body);
  const { core, envelopeA, envelopeB } = request;
  const envelopes = { a: sha256(envelopeA), b: sha256(envelopeB) };
  return { request, ids: { envelopes, ceremonyId: ceremonyIdOf(core, envelopes) } };
});

/** Which ceremony a request is, in lower-case hex. */
export const ceremonyOf = (body: unknown): string => toHex(asked(body).ids.ceremonyId);

/** Conducts a ceremony and answers with what the client needs of it. */
export function* ceremony(s: RouterSurroundings, body: unknown, asker: Asker = {}): Program<Json> {
  const { request, ids } = asked(body);
  return CeremonyAnswer.toJson(yield* attempted(s, request, ids, conduct(s, request, ids, asker)));
}

/** Admits a request and goes on in the background, for a client that prefers to follow the ceremony. */
export function* acceptCeremony(s: RouterSurroundings, body: unknown, asker: Asker = {}): Program<Json> {
  const { request, ids } = asked(body);
  const { ceremonyId } = ids;
  const admission = yield* attempted(s, request, ids, admit(s, request, ids, asker));
  const running = `running ${toHex(ceremonyId)}`;
  if (!admission.answer && !s.memory.has(running)) {
    s.memory.set(running, true);
    s.background(forgetting(s, running, attempted(s, request, ids, carryOut(s, request, ids, admission), true)));
  }
  return CeremonyHandle.toJson({ ceremonyId, follow: FOLLOW_PATH });
}

function* forgetting<T>({ memory }: RouterSurroundings, name: string, program: Program<T>): Program<T> {
  try {
    return yield* program;
  } finally {
    memory.delete(name);
  }
}

/** @param followed whether somebody will ask how it ended, even if it was refused */
function* attempted<T extends Admission | CeremonyAnswer>(
  s: RouterSurroundings,
  { core: { walletId, operation } }: CeremonyRequest,
  { ceremonyId }: Ids,
  program: Program<T>,
  followed = false,
): Program<T> {
  const audit = (outcome: string, receipt?: string) =>
    s.audit({ atMs: s.now(), walletId, event: operation, ceremonyId: toHex(ceremonyId), outcome, receipt });
  try {
    const reached = yield* program;
    if ('receipt' in reached) audit('ok', JSON.stringify(signedReceiptJson.toJson(reached.receipt)));
    return reached;
  } catch (error) {
    audit(codeOf(error));
    yield* noteFailure(s, ceremonyId, error, followed);
    throw error instanceof YaoError ? error.within({ ceremonyId: toHex(ceremonyId) }) : error;
  }
}

/** For whoever follows the ceremony; a request that was refused, here or by the roles that it went to, leaves nothing. */
function* noteFailure(s: RouterSurroundings, ceremonyId: Uint8Array, error: unknown, followed: boolean): Program<void> {
  const refused = error instanceof YaoError && error.status < 500 && !error.retryable;
  yield* transact((tx) => {
    const record = readCeremony(tx, ceremonyId);
    if (!record || record.answer) return;
    if (refused && !followed) {
      forgetCeremony(tx, ceremonyId);
      forgetNonce(tx, record.core);
    } else writeCeremony(tx, s.settings, ceremonyId, { ...record, failure: codeOf(error) });
  });
}

const codeOf = (error: unknown): ErrorCode => (error instanceof YaoError ? error.code : 'internal');

/** An authorized request and its one grant, with the answer where there is one already. */
interface Admission {
  readonly authority: Authority;
  readonly grant: string;
  readonly answer: CeremonyAnswer | null;
}

function* admit(s: RouterSurroundings, request: CeremonyRequest, ids: Ids, asker: Asker): Program<Admission> {
  const { core, authorization, authorityUpdates, roots } = request;
  const { ceremonyId } = ids;
  const look = (tx: Transaction) => ({
    recorded: readAuthority(tx, core.walletId),
    unfinished: readChange(tx, core.walletId) !== undefined || readNotices(tx, core.walletId).length > 0,
    ceremony: readCeremony(tx, ceremonyId),
  });
  let found = yield* transact(look);
  if (found.unfinished) {
    yield* announce(s, core.walletId);
    yield* finishChange(s, core.walletId);
    found = yield* transact(look);
  }
  const recorded = found.recorded ?? (core.operation === 'register' ? undefined : yield* learn(s, core.walletId));
  const { authority } = yield* authorize({
    rules: s,
    nowMs: s.now(),
    core,
    ceremonyId,
    authorization,
    authorityUpdates,
    recorded,
  });
  if (!found.ceremony) {
    checkWay(s.admission, core, authorization.proof.credentialId, authority, asker);
    yield* checkBroughtRoots(s, core.walletId, roots);
  }
  const grant = found.ceremony?.grant ?? (yield* signGrant(s, request, ceremonyId));
  return { authority, grant, answer: found.ceremony?.answer ?? null };
}

function* conduct(s: RouterSurroundings, request: CeremonyRequest, ids: Ids, asker: Asker): Program<CeremonyAnswer> {
  const admission = yield* admit(s, request, ids, asker);
  return admission.answer ?? (yield* carryOut(s, request, ids, admission));
}

function* carryOut(
  s: RouterSurroundings,
  request: CeremonyRequest,
  ids: Ids,
  { authority, grant }: Admission,
): Program<CeremonyAnswer> {
  const { core } = request;
  const recorder = request.timeline ? new TimelineRecorder('router', s) : undefined;
  const answers = yield* derive(s, request, ids, grant, recorder);
  const answer = yield* deliver(s, request, ids, grant, answers, recorder);
  const recorded = transact((tx) => {
    // The wallet may have been deleted meanwhile.
    if (!readCeremony(tx, ids.ceremonyId)) return;
    // Another change may have come meanwhile, and is not taken back.
    const known = readAuthority(tx, core.walletId)?.version ?? 0;
    if (core.operation !== 'export' && authority.version > known) writeAuthority(tx, core.walletId, authority);
    writeCeremony(tx, s.settings, ids.ceremonyId, { core, grant, answer, failure: null });
    if (answer.activation && core.operation === 'register') noteActivation(tx, core.walletId, answer.activation);
  });
  if (tellsMore(request)) yield* recorded;
  else s.background(recorded);
  if (core.operation === 'register') s.background(announce(s, core.walletId));
  return answer;
}

/**
 * Whether the record of an answer tells more than the answer does its client: to the Derivers, to a device that follows, or of an
 * authority. Any other may be lost, since the roles give the same answer to the same request again.
 */
const tellsMore = ({ core: { operation }, authorityUpdates }: CeremonyRequest): boolean =>
  operation === 'register' || operation === 'link' || authorityUpdates.length > 0;

/** Signs the ceremony's one grant and stores it with the roots that the request brought, so that a repeated one carries the same. */
function* signGrant(s: RouterSurroundings, { core, roots }: CeremonyRequest, ceremonyId: Uint8Array): Program<string> {
  const { circuitId, operation, walletId, deployment, profile } = core;
  const issuedAtMs = s.now();
  const expiresAtMs = core.expiresAtMs + LIMITS.clockSkewMs;
  const grant = {
    ceremonyId,
    core: Core.digest(core),
    circuitId,
    operation,
    walletId,
    deployment,
    profile,
    issuedAtMs,
    expiresAtMs,
  };
  const payload = Grant.encode(grant);
  const compact = toCompact(GRANT_HEADER, payload, yield* sign(signingInput(GRANT_HEADER, payload)));
  yield* transact((tx) => {
    admitOnce(tx, s.admission, core, issuedAtMs, expiresAtMs + s.settings.retentionMs);
    for (const root of roots) putRoot(tx, root);
    writeCeremony(tx, s.settings, ceremonyId, { core, grant: compact, answer: null, failure: null });
  });
  return compact;
}

interface Derived {
  readonly a: DeriverAnswer;
  readonly b: DeriverAnswer;
  readonly receipt: SignedReceipt;
}

/** Calls both Derivers at once. @throws the error that explains the failure best */
function* derive(
  s: RouterSurroundings,
  request: CeremonyRequest,
  { envelopes, ceremonyId }: Ids,
  grant: string,
  recorder: TimelineRecorder | undefined,
): Program<Derived> {
  const { core, authorization, authorityUpdates, timeline } = request;
  const signingWorkerKey = yield* servedKey(s, 'signing-worker', core.signingWorkerKeyId);
  const common = { core, authorization, authorityUpdates, grant, signingWorkerKey, timeline };
  const [a, b] = yield* all(
    ask(
      s,
      recorder,
      'deriver-a',
      { ...common, envelope: request.envelopeA, peerEnvelope: envelopes.b },
      cancelAtB(s, core.walletId, ceremonyId),
    ),
    ask(s, recorder, 'deriver-b', { ...common, envelope: request.envelopeB, peerEnvelope: envelopes.a }),
  );
  if (a instanceof YaoError || b instanceof YaoError) throw rootCause(a, b);
  const { receipt: payload, signatureA, signatureB } = a;
  if (!signatureA || !equalBytes(payload, b.receipt)) {
    throw new YaoError('receipt_invalid', 'the Derivers answered with different receipts, or A without its signature');
  }
  return { a, b, receipt: { payload, signatureA, signatureB } };
}

/** A Deriver's answer, or its error as a value, so that both are known before one is reported. */
function* ask(
  s: RouterSurroundings,
  recorder: TimelineRecorder | undefined,
  role: DeriverRole,
  deriverCall: DeriverCall,
  onFailure?: Program<void>,
): Program<DeriverAnswer | YaoError> {
  const deadlineMs = s.now() + s.settings.ceremonyDeadlineMs;
  try {
    const body = DeriverCall.toJson(deriverCall);
    return DeriverAnswer.fromJson(yield* notedCall(recorder, { role, path: '/ceremony', body, deadlineMs }));
  } catch (error) {
    if (!(error instanceof YaoError)) throw error;
    if (onFailure) yield* onFailure;
    return error.within({ party: role });
  }
}

/** B would wait for A until the deadline. */
function* cancelAtB(s: RouterSurroundings, walletId: string, ceremonyId: Uint8Array): Program<void> {
  const body = Cancellation.toJson({ walletId, ceremonyId });
  yield* call({ role: 'deriver-b', path: '/cancel', body, deadlineMs: s.now() + s.settings.callDeadlineMs });
}

/** What a Deriver says that may only have seen its peer fail, the more telling first. */
const HEARSAY: readonly ErrorCode[] = ['frame_invalid', 'deadline_exceeded', 'peer_failed'];

/** A Deriver that only saw its peer fail has less to say than the peer. */
function rootCause(...outcomes: readonly (DeriverAnswer | YaoError)[]): YaoError {
  const errors = outcomes.filter((outcome) => outcome instanceof YaoError);
  const [first] = errors.toSorted((left, right) => HEARSAY.indexOf(left.code) - HEARSAY.indexOf(right.code));
  return first ?? new YaoError('peer_failed', 'a Deriver failed; make a new request');
}

/** Hands both server packages to the SigningWorker, and the client packages to the client. */
function* deliver(
  s: RouterSurroundings,
  request: CeremonyRequest,
  ids: Ids,
  grant: string,
  { a, b, receipt }: Derived,
  recorder: TimelineRecorder | undefined,
): Program<CeremonyAnswer> {
  const { core, authorization, authorityUpdates } = request;
  const answer = {
    ceremonyId: ids.ceremonyId,
    receipt,
    packageA: a.clientPackage,
    packageB: b.clientPackage,
    traffic: a.traffic,
  };
  const timelines = (): readonly Timeline[] => [recorder?.timeline, a.timeline, b.timeline].filter((timeline) => !!timeline);
  if (!a.signingWorkerPackage || !b.signingWorkerPackage) return { ...answer, activation: null, timelines: timelines() };
  const packages = { packageA: a.signingWorkerPackage, packageB: b.signingWorkerPackage };
  const envelopes = { envelopeA: ids.envelopes.a, envelopeB: ids.envelopes.b };
  const body = ActivationCall.toJson({
    core,
    ...envelopes,
    authorization,
    authorityUpdates,
    grant,
    receipt,
    ...packages,
  });
  const deadlineMs = s.now() + s.settings.ceremonyDeadlineMs;
  const activated = ActivationAnswer.fromJson(
    yield* notedCall(recorder, { role: 'signing-worker', path: '/activate', body, deadlineMs }),
  );
  return { ...answer, activation: activated.activation, timelines: timelines() };
}
