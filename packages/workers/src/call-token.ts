import { LIMITS, toBase64Url, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import { jwtVerify, SignJWT } from 'jose';
import { nativeHashing } from './hashing.ts';

/**
 * Every call of one role to another carries a token of the caller: locally each role is an open loopback port.
 * A JWT (RFC 7519, EdDSA) over caller, audience, path with query, digest of the body and a short life.
 */
const TYPES = {
  call: 'yao-call+jwt',
  /** What Deriver B answers to the opening of a stream, which is the body here: it is B that Deriver A has reached, and now. */
  stream: 'yao-stream+jwt',
} as const;

export interface Call {
  readonly type: keyof typeof TYPES;
  readonly caller: Role;
  readonly audience: Role;
  /** With its query. */
  readonly path: string;
  readonly body: Uint8Array;
}

const seconds = (ms: number): number => Math.floor(ms / 1000);
const digestOf = (body: Uint8Array): string => toBase64Url(nativeHashing.sha256(body));

/** @param key the caller's Ed25519 signing key */
export function issueCallToken(call: Call, key: CryptoKey, nowMs: number): Promise<string> {
  return new SignJWT({ path: call.path, body: digestOf(call.body) })
    .setProtectedHeader({ alg: 'EdDSA', typ: TYPES[call.type] })
    .setIssuer(call.caller)
    .setAudience(call.audience)
    .setIssuedAt(seconds(nowMs))
    .setExpirationTime(seconds(nowMs + LIMITS.callTokenLifeMs))
    .sign(key);
}

/**
 * @param authorization the header of that name
 * @param key the caller's pinned Ed25519 verification key
 * @throws YaoError `grant_invalid`
 */
export async function checkCallToken(call: Call, authorization: string | null, key: CryptoKey, nowMs: number): Promise<void> {
  const token = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '';
  const claims = await jwtVerify(token, key, {
    algorithms: ['EdDSA'],
    typ: TYPES[call.type],
    issuer: call.caller,
    audience: call.audience,
    requiredClaims: ['iss', 'aud', 'iat', 'exp', 'path', 'body'],
    maxTokenAge: seconds(LIMITS.callTokenLifeMs),
    clockTolerance: seconds(LIMITS.clockSkewMs),
    currentDate: new Date(nowMs),
  }).then(
    ({ payload }) => payload,
    () => undefined,
  );
  if (claims?.aud !== call.audience || claims.path !== call.path || claims.body !== digestOf(call.body)) {
    throw new YaoError('grant_invalid', `${call.path} takes calls with a token of ${call.caller} for ${call.audience} only`);
  }
}
