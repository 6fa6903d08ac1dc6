import { type Json, LIMITS } from '@streaming-yao/core';
import {
  AuditExportRequest,
  AuditRequest,
  ConfirmAnswer,
  ConfirmRequest,
  FetchRoot,
  FollowRequest,
  LanesRequest,
  NameAnswer,
  NameRequest,
  OpenSigningSession,
  OpenSigningSessionAnswer,
  operationOfCore,
  PrepareAnswer,
  PrepareRequest,
  RevokeAnswer,
  RevokeRequest,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignedLanes,
  SigningSessionsAnswer,
  SigningSessionsRequest,
  SignRequest,
  StoreRoot,
  walletOfCore,
  walletOfSignatureShare,
  walletOfSigning,
} from '@streaming-yao/wire';
import { countRequest } from './admission.ts';
import { deploymentFacts } from './deployment.ts';
import { walletOfDeletion } from './operator.ts';
import { call, type Program } from './program.ts';
import type { AuditEvent, Handlers, RouterSurroundings } from './role.ts';
import { showAudit } from './router-audit.ts';
import { afterChange, changeAuthority, walletOfChange } from './router-authority.ts';
import { acceptCeremony, ceremony, ceremonyOf, FOLLOW_PATH } from './router-ceremony.ts';
import { follow } from './router-follow.ts';
import { deleteEverywhere, exportTrail } from './router-operator.ts';
import { fetchRoot, storeRoot } from './router-root.ts';

/** The Router admits and relays; it sees public data and ciphertext. docs/protocol.md section 7. */
export const handlers: Handlers<RouterSurroundings> = {
  '/.well-known/streaming-yao': { method: 'GET', cacheSeconds: 60, program: deploymentFacts },
  '/v1/ceremonies': {
    wallet: walletOfCore,
    joinKey: ceremonyOf,
    concern: operationOfCore,
    program: ceremony,
    accept: acceptCeremony,
  },
  '/v1/audit': {
    ...afterChange((body) => AuditRequest.fromJson(body).statement.walletId, showAudit),
    concern: () => 'read',
  },
  '/v1/authority': { wallet: walletOfChange, concern: () => 'manage', program: changeAuthority },
  '/v1/lanes': {
    about: (body) => LanesRequest.fromJson(body).statement.walletId,
    concern: () => 'read',
    program: relay('/lanes', LanesRequest, SignedLanes),
  },
  '/v1/lanes/confirm': {
    about: (body) => ConfirmRequest.fromJson(body).statement.walletId,
    concern: () => 'manage',
    program: relay('/confirm', ConfirmRequest, ConfirmAnswer),
  },
  '/v1/lanes/name': {
    about: (body) => NameRequest.fromJson(body).statement.walletId,
    concern: () => 'manage',
    program: relay('/lanes/name', NameRequest, NameAnswer),
  },
  '/v1/lanes/revoke': {
    about: (body) => RevokeRequest.fromJson(body).statement.walletId,
    concern: () => 'manage',
    program: relay('/lanes/revoke', RevokeRequest, RevokeAnswer, ({ statement }) => ({
      walletId: statement.walletId,
      event: 'revoke',
    })),
  },
  '/v1/sessions/open': {
    about: (body) => OpenSigningSession.fromJson(body).statement.lane.walletId,
    concern: () => 'manage',
    program: relay('/sessions/open', OpenSigningSession, OpenSigningSessionAnswer, ({ statement }) => ({
      ...{ walletId: statement.lane.walletId, event: 'session-open' },
    })),
  },
  '/v1/sessions': {
    about: (body) => SigningSessionsRequest.fromJson(body).statement.lane.walletId,
    concern: () => 'manage',
    program: relay('/sessions', SigningSessionsRequest, SigningSessionsAnswer, ({ statement: { lane, close } }) =>
      close ? { walletId: lane.walletId, event: 'session-close' } : undefined,
    ),
  },
  [FOLLOW_PATH]: {
    wallet: (body) => FollowRequest.fromJson(body).statement.walletId,
    concern: () => 'read',
    program: follow,
  },
  '/v1/roots': {
    ...afterChange((body) => StoreRoot.fromJson(body).statement.record.walletId, storeRoot),
    concern: () => 'manage',
  },
  '/v1/roots/fetch': {
    ...afterChange((body) => FetchRoot.fromJson(body).statement.walletId, fetchRoot),
    concern: () => 'read',
  },
  '/router-ab/ed25519/sign/prepare': {
    about: (body) => PrepareRequest.fromJson(body).statement.lane.walletId,
    concern: () => 'sign',
    keepsLater: true,
    program: relay('/sign/prepare', PrepareRequest, PrepareAnswer),
  },
  '/router-ab/ed25519/sign': {
    bodyBytes: LIMITS.signBodyBytes,
    about: walletOfSigning,
    concern: () => 'sign',
    keepsLater: true,
    program: relay('/sign', SignRequest, SignAnswer, ({ lane }) => ({ walletId: lane.walletId, event: 'sign' })),
  },
  '/router-ab/ed25519/sign/share': {
    bodyBytes: LIMITS.signBodyBytes,
    about: walletOfSignatureShare,
    concern: () => 'sign',
    keepsLater: true,
    program: relay('/sign/share', SignatureShareRequest, SignatureShareAnswer, ({ statement }) => ({
      walletId: statement.lane.walletId,
      event: 'sign',
    })),
  },
  '/v1/operator/audit': { wallet: (body) => AuditExportRequest.fromJson(body).statement.walletId, program: exportTrail },
  '/v1/operator/delete': { wallet: walletOfDeletion, program: deleteEverywhere },
  '/admit': { internal: 'admission', program: countRequest },
};

interface JsonMessage<T> {
  fromJson(json: unknown): T;
}

/** What the trail says of a request that was granted: before that, anybody may have sent it. */
type Noted = Pick<AuditEvent, 'walletId' | 'event'>;

/** Checks a request and passes exactly what was checked on to the SigningWorker, and its answer back. */
function relay<Q, A>(path: string, Request: JsonMessage<Q>, Answer: JsonMessage<A>, noted?: (request: Q) => Noted | undefined) {
  return function* (s: RouterSurroundings, body: unknown): Program<Json> {
    const request = Request.fromJson(body);
    const deadlineMs = s.now() + s.settings.callDeadlineMs;
    const answer = yield* call({ role: 'signing-worker', path, body, deadlineMs });
    Answer.fromJson(answer);
    const event = noted?.(request);
    if (event) s.audit({ atMs: s.now(), ...event, ceremonyId: null, outcome: 'ok' });
    return answer as Json;
  };
}
