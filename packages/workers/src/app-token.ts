import { sha256 } from '@noble/hashes/sha2.js';
import { LIMITS, toHex, utf8, YaoError } from '@streaming-yao/core';
import { decodeJwt, jwtVerify } from 'jose';
import type { Admission } from './admission-config.ts';

/** What an app's backend may sign with; no algorithm with a shared secret. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'];

const seconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Whom an app's backend vouches for: a JWT (RFC 7519) with issuer, audience, subject, issue and expiry, and where the app wants
 * it a claim `wallet` that binds it to one wallet. It lets its user in; it authorizes nothing.
 * @param header `Authorization`
 * @param about tells the wallet that the request is about
 * @returns a name for the pair of issuer and subject
 * @throws YaoError `app_token_invalid`
 */
export async function checkAppToken(
  { apps, clockToleranceMs }: Pick<Admission, 'apps' | 'clockToleranceMs'>,
  header: string,
  about: () => string,
  nowMs: number,
): Promise<string> {
  const token = header.startsWith('Bearer ') ? header.slice('Bearer '.length) : '';
  const app = apps.find(({ issuer }) => issuer === issuerOf(token));
  if (!app) throw refused('is of no app that this deployment knows');
  const { issuer, audience, keys } = app;
  const claims = await jwtVerify(token, keys, {
    ...{ issuer, audience, algorithms: ALGORITHMS },
    requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp'],
    maxTokenAge: seconds(LIMITS.appTokenLifeMs),
    clockTolerance: seconds(clockToleranceMs),
    currentDate: new Date(nowMs),
  }).then(
    ({ payload }) => payload,
    (error: unknown) => {
      throw refused(error instanceof Error && 'code' in error ? `fails: ${error.code}` : 'is damaged');
    },
  );
  if (claims.wallet !== undefined && claims.wallet !== about()) throw refused('is for another wallet');
  return toHex(sha256(utf8(JSON.stringify([issuer, claims.sub])))).slice(0, 32);
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function refused(why: string): YaoError {
  return new YaoError('app_token_invalid', `the token of the app’s backend ${why}`, { party: 'client' });
}
