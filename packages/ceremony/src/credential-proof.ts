import { equalBytes, LIMITS, YaoError } from '@streaming-yao/core';
import {
  type Authority,
  type Credential,
  type CredentialProof,
  idOfCredential,
  type Pins,
  type Session,
  SessionStatement,
} from '@streaming-yao/wire';
import { checkAssertion, type PasskeyRules } from './assertion.ts';
import { type Program, verify } from './program.ts';

/** What a role's configuration says about credentials. */
export interface CredentialRules {
  readonly pins: Pins;
  /** Absent where the deployment takes no passkeys. */
  readonly passkeys?: PasskeyRules | undefined;
}

/** @throws YaoError `authorization_invalid` unless `authority` has it */
export function credentialOf(authority: Authority, id: Uint8Array): Credential {
  const found = authority.credentials.find((credential) => equalBytes(idOfCredential(credential), id));
  if (!found) throw new YaoError('authorization_invalid', 'this credential may not act for the wallet', { party: 'client' });
  return found;
}

/**
 * Whether a credential approved of a statement; every role asks here, for keys and passkeys alike.
 * @throws YaoError `authorization_invalid`
 */
export function* checkProof(
  { passkeys }: Pick<CredentialRules, 'passkeys'>,
  credential: Credential,
  statement: Uint8Array,
  { credentialId, evidence }: CredentialProof,
): Program<void> {
  const { publicKey } = credential;
  const fits =
    equalBytes(idOfCredential(credential), credentialId) && (credential.kind === 'passkey') === (evidence.kind === 'assertion');
  if (!fits) throw notApproved();
  const signed =
    evidence.kind === 'assertion'
      ? checkAssertion(passkeys, statement, evidence)
      : { message: statement, signature: evidence.signature };
  const algorithm = credential.kind === 'ed25519' ? 'ed25519' : 'p256';
  if (!(yield* verify({ algorithm, publicKey, ...signed }))) throw notApproved();
}

function notApproved(): YaoError {
  return new YaoError('authorization_invalid', 'the credential’s signature does not cover this statement', { party: 'client' });
}

/** A statement that a session's key signed. */
export interface SessionRequest {
  readonly nowMs: number;
  readonly session: Session;
  readonly statement: Uint8Array;
  readonly signature: Uint8Array;
}

/** @throws YaoError `request_mismatch`, `request_expired`, `authorization_invalid` */
export function* checkSession(rules: CredentialRules, credential: Credential, request: SessionRequest): Program<void> {
  const { nowMs, session, signature } = request;
  const { deployment, issuedAtMs, expiresAtMs, sessionKey } = session.statement;
  if (deployment !== rules.pins.deployment)
    throw new YaoError('request_mismatch', `this is deployment ${rules.pins.deployment}`, { party: 'client' });
  const life = expiresAtMs - issuedAtMs;
  if (issuedAtMs > nowMs + LIMITS.clockSkewMs || expiresAtMs < nowMs || life <= 0 || life > LIMITS.sessionLifeMs) {
    throw new YaoError('request_expired', `a session lives at most ${LIMITS.sessionLifeMs} ms; ask the user again`, {
      party: 'client',
    });
  }
  yield* checkProof(rules, credential, SessionStatement.encode(session.statement), session.proof);
  const signed = yield* verify({ algorithm: 'ed25519', publicKey: sessionKey, message: request.statement, signature });
  if (!signed) throw new YaoError('authorization_invalid', 'the session’s key did not sign this request', { party: 'client' });
}

/** Whether the device of a lane signed a statement. @throws YaoError `authorization_invalid` */
export function* checkLaneKey(laneKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Program<void> {
  if (yield* verify({ algorithm: 'ed25519', publicKey: laneKey, message, signature })) return;
  throw new YaoError('authorization_invalid', 'the request is not signed by the lane’s device', { party: 'client' });
}

/** @throws YaoError `request_mismatch`, `request_expired` unless a statement is of this deployment and of now */
export function checkFresh(
  { pins }: CredentialRules,
  nowMs: number,
  { deployment, issuedAtMs }: { readonly deployment: string; readonly issuedAtMs: number },
): void {
  if (deployment !== pins.deployment)
    throw new YaoError('request_mismatch', `this is deployment ${pins.deployment}`, { party: 'client' });
  if (Math.abs(nowMs - issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
}
