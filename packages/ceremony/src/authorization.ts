import { equalBytes, LIMITS, toHex, YaoError } from '@streaming-yao/core';
import {
  Authority,
  type Authorization,
  authorizationMessage,
  type Core,
  Core as CoreMessage,
  idOfCredential,
  requesterMessage,
  type SignedAuthority,
} from '@streaming-yao/wire';
import { type CredentialRules, checkProof, credentialOf } from './credential-proof.ts';
import { type Program, verify } from './program.ts';

export interface AuthorizationQuestion {
  readonly rules: CredentialRules;
  readonly nowMs: number;
  readonly core: Core;
  readonly ceremonyId: Uint8Array;
  readonly authorization: Authorization;
  readonly authorityUpdates: readonly SignedAuthority[];
  /** The wallet's authority as this role has it on record; a `register` may bring the first one. */
  readonly recorded: Authority | undefined;
}

/** What an authorization was checked against, and the authority that it brings or stands under. */
export interface Authorized {
  /** The wallet's authority as it was on record then. */
  readonly recorded: Authority | undefined;
  /** In force after the updates that came with the request. */
  readonly authority: Authority;
}

/**
 * Whether the user has authorized this very ceremony. Router, Derivers and SigningWorker all ask here, each with its own
 * record and its own clock (docs/protocol.md section 7).
 * @throws YaoError `request_mismatch`, `request_expired`, `authorization_expired`, `unknown_wallet`, `authority_mismatch`, `authorization_invalid`
 */
export function* authorize(question: AuthorizationQuestion): Program<Authorized> {
  const { core, ceremonyId, authorization, recorded } = question;
  checkDeployment(question);
  checkTime(question);
  const authority = yield* authorityInForce(question);
  if (!equalBytes(Authority.digest(authority), core.authority)) {
    throw new YaoError(
      'authority_mismatch',
      'the request names another authority than the one on record; fetch the wallet’s credentials again',
      { party: 'client' },
    );
  }
  const { proof, requesterSignature } = authorization;
  const credential = credentialOf(authority, proof.credentialId);
  yield* checkProof(question.rules, credential, authorizationMessage(CoreMessage.digest(core)), proof);
  const message = requesterMessage(ceremonyId);
  const requested = yield* verify({ algorithm: 'ed25519', publicKey: core.requesterKey, message, signature: requesterSignature });
  if (!requested) {
    throw new YaoError('authorization_invalid', 'the requester’s signature does not cover these envelopes', { party: 'client' });
  }
  return { recorded, authority };
}

/** Whether both are the same statement, or neither is there. */
export function isSameAuthority(left: Authority | undefined, right: Authority | undefined): boolean {
  return left && right ? equalBytes(Authority.digest(left), Authority.digest(right)) : left === right;
}

/**
 * In the transaction that acts on an authorization: whether the credentials on record are those that it was checked against, or the
 * ones that it brings. Another request may have changed them meanwhile, and that change is never taken back.
 */
export const isStillInForce = (now: Authority | undefined, { recorded, authority }: Authorized): boolean =>
  isSameAuthority(now, recorded) || isSameAuthority(now, authority);

/** What a request hears that was authorized by credentials which are the wallet's no more. */
export const credentialsChanged = (): YaoError =>
  new YaoError('authority_mismatch', 'the wallet’s credentials have just been changed; fetch them again', { party: 'client' });

function checkDeployment({ rules: { pins }, core }: AuthorizationQuestion): void {
  if (core.deployment !== pins.deployment || core.profile !== pins.profile) {
    throw new YaoError(
      'request_mismatch',
      `this is deployment ${pins.deployment} with profile ${pins.profile}; check the pins of the app`,
      { party: 'client' },
    );
  }
}

function checkTime({ nowMs, core }: AuthorizationQuestion): void {
  const { issuedAtMs, expiresAtMs, operation } = core;
  const life = expiresAtMs - issuedAtMs;
  if (issuedAtMs > nowMs + LIMITS.clockSkewMs || expiresAtMs < nowMs || life <= 0 || life > LIMITS.requestLifeMs) {
    throw new YaoError(
      'request_expired',
      `a request lives at most ${LIMITS.requestLifeMs} ms from its issue; make a new one and check the clock`,
      { party: 'client' },
    );
  }
  if (operation === 'export' && nowMs - issuedAtMs > LIMITS.exportAuthorizationMs) {
    throw new YaoError(
      'authorization_expired',
      `an export is authorized for ${LIMITS.exportAuthorizationMs} ms; ask the user again`,
      { party: 'client' },
    );
  }
}

/**
 * The authority after a signed successor of the one on record; the one on record again is no error.
 * @throws YaoError `authority_mismatch`, `authorization_invalid`
 */
export function* succeedingAuthority(
  rules: CredentialRules,
  current: Authority,
  { authority, proof }: SignedAuthority,
): Program<Authority> {
  if (equalBytes(Authority.digest(authority), Authority.digest(current))) return current;
  const follows =
    authority.version === current.version + 1 &&
    authority.previous !== null &&
    equalBytes(authority.previous, Authority.digest(current));
  if (!follows || authority.deployment !== rules.pins.deployment || authority.walletId !== current.walletId) {
    throw new YaoError(
      'authority_mismatch',
      'an authority statement does not follow the one on record; fetch the credentials again',
      { party: 'client' },
    );
  }
  if (!proof)
    throw new YaoError('authorization_invalid', 'a change of credentials needs the proof of one of them', { party: 'client' });
  checkDistinct(authority);
  yield* checkProof(rules, credentialOf(current, proof.credentialId), Authority.encode(authority), proof);
  return authority;
}

/** Two credentials of one id could not be told apart. */
function checkDistinct({ credentials }: Authority): void {
  const ids = new Set(credentials.map((credential) => toHex(idOfCredential(credential))));
  if (ids.size < credentials.length) {
    throw new YaoError('invalid_request', 'an authority names each credential once', { party: 'client' });
  }
}

function* authorityInForce({ rules, core, recorded, authorityUpdates }: AuthorizationQuestion): Program<Authority> {
  let current = recorded;
  for (const signed of authorityUpdates) {
    current = current ? yield* succeedingAuthority(rules, current, signed) : firstAuthority(rules, core, signed);
  }
  if (!current) throw new YaoError('unknown_wallet', `no wallet ${core.walletId} is registered here`, { party: 'client' });
  return current;
}

/** A `register` brings the wallet's first authority; what approves of it is the registration's own authorization. */
function firstAuthority({ pins }: CredentialRules, core: Core, { authority, proof }: SignedAuthority): Authority {
  const first = core.operation === 'register' && authority.version === 1 && authority.previous === null && proof === null;
  if (!first || authority.deployment !== pins.deployment || authority.walletId !== core.walletId) {
    throw new YaoError('authority_mismatch', 'only a registration brings a first authority, and for its own wallet', {
      party: 'client',
    });
  }
  checkDistinct(authority);
  return authority;
}
