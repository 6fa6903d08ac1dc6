import { equalBytes, LIMITS, YaoError } from '@streaming-yao/core';
import {
  Authority,
  type Authorization,
  authorizationMessage,
  type Core,
  Core as CoreMessage,
  type Credential,
  idOfCredential,
  type Pins,
  requesterMessage,
  type SignedAuthority,
} from '@streaming-yao/wire';
import { type Program, verify } from './program.ts';

export interface AuthorizationQuestion {
  readonly pins: Pins;
  readonly nowMs: number;
  readonly core: Core;
  readonly ceremonyId: Uint8Array;
  readonly authorization: Authorization;
  readonly authorityUpdates: readonly SignedAuthority[];
  /** The wallet's authority as this role has it on record; a `register` may bring the first one. */
  readonly recorded: Authority | undefined;
}

/**
 * Whether the user has authorized this very ceremony. Router, Derivers and SigningWorker all ask here, each with its own
 * record and its own clock (docs/protocol.md section 7).
 * @returns the authority in force after the updates that came with the request
 * @throws YaoError `request_mismatch`, `request_expired`, `authorization_expired`, `unknown_wallet`, `authority_mismatch`, `authorization_invalid`
 */
export function* authorize(question: AuthorizationQuestion): Program<Authority> {
  const { core, ceremonyId, authorization } = question;
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
  yield* checkSignature(
    credentialOf(authority, authorization.credentialId),
    authorizationMessage(CoreMessage.digest(core)),
    authorization.signature,
    'the credential’s signature does not cover this request',
  );
  yield* checkSignature(
    { kind: 'ed25519', publicKey: core.requesterKey },
    requesterMessage(ceremonyId),
    authorization.requesterSignature,
    'the requester’s signature does not cover these envelopes',
  );
  return authority;
}

function checkDeployment({ pins, core }: AuthorizationQuestion): void {
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
export function* succeedingAuthority(pins: Pins, current: Authority, signed: SignedAuthority): Program<Authority> {
  const { authority } = signed;
  if (equalBytes(Authority.digest(authority), Authority.digest(current))) return current;
  const follows =
    authority.version === current.version + 1 &&
    authority.previous !== null &&
    equalBytes(authority.previous, Authority.digest(current));
  if (!follows || authority.deployment !== pins.deployment || authority.walletId !== current.walletId) {
    throw new YaoError(
      'authority_mismatch',
      'an authority statement does not follow the one on record; fetch the credentials again',
      { party: 'client' },
    );
  }
  yield* checkStatement(current, signed.credentialId, Authority.encode(authority), signed.signature);
  return authority;
}

/** @throws YaoError `authorization_invalid` unless a credential of `authority` signed `message` */
export function* checkStatement(
  authority: Authority,
  credentialId: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Program<void> {
  yield* checkSignature(
    credentialOf(authority, credentialId),
    message,
    signature,
    'the statement is not signed by the credential it names',
  );
}

function* authorityInForce({ pins, core, recorded, authorityUpdates }: AuthorizationQuestion): Program<Authority> {
  let current = recorded;
  for (const signed of authorityUpdates) {
    current = current ? yield* succeedingAuthority(pins, current, signed) : yield* firstAuthority(pins, core, signed);
  }
  if (!current) throw new YaoError('unknown_wallet', `no wallet ${core.walletId} is registered here`, { party: 'client' });
  return current;
}

/** A `register` brings the wallet's first authority, signed by one of its own credentials. */
function* firstAuthority(pins: Pins, core: Core, { authority, credentialId, signature }: SignedAuthority): Program<Authority> {
  const first = core.operation === 'register' && authority.version === 1 && authority.previous === null;
  if (!first || authority.deployment !== pins.deployment || authority.walletId !== core.walletId) {
    throw new YaoError('authority_mismatch', 'only a registration brings a first authority, and for its own wallet', {
      party: 'client',
    });
  }
  yield* checkStatement(authority, credentialId, Authority.encode(authority), signature);
  return authority;
}

function credentialOf(authority: Authority, id: Uint8Array): Credential {
  const found = authority.credentials.find((credential) => equalBytes(idOfCredential(credential), id));
  if (!found) throw new YaoError('authorization_invalid', 'this credential may not act for the wallet', { party: 'client' });
  return found;
}

function* checkSignature(
  key: Pick<Credential, 'kind' | 'publicKey'>,
  message: Uint8Array,
  signature: Uint8Array,
  otherwise: string,
): Program<void> {
  const valid = yield* verify({ algorithm: key.kind, publicKey: key.publicKey, message, signature });
  if (!valid) throw new YaoError('authorization_invalid', otherwise, { party: 'client' });
}
