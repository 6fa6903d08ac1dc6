import { fromBase64Url, LIMITS, toBase64Url, YaoError } from '@streaming-yao/core';
import { CallToken, RoleCall } from '@streaming-yao/wire';
import { nativeHashing } from './hashing.ts';
import { sign, verify } from './signatures.ts';

/** What a token is about. Both sides know it by themselves, so a token makes no claims that somebody would have to compare. */
export interface Call extends Pick<RoleCall, 'kind' | 'caller' | 'audience' | 'path'> {
  readonly body: Uint8Array;
}

const SCHEME = 'Bearer ';
const LONGEST_TOKEN = 256;

const statementOf = (call: Call, issuedAtMs: number): Uint8Array =>
  RoleCall.encode({ ...call, body: nativeHashing.sha256(call.body), issuedAtMs });

/**
 * Every call of one role to another carries a token of the caller: locally each role is an open loopback port.
 * @param key the caller's Ed25519 signing key
 * @returns the header `authorization` (RFC 6750)
 */
export async function issueCallToken(call: Call, key: CryptoKey, nowMs: number): Promise<string> {
  const token = { issuedAtMs: nowMs, signature: await sign(key, statementOf(call, nowMs)) };
  return SCHEME + toBase64Url(CallToken.encode(token));
}

/**
 * @param authorization the header of that name
 * @param publicKey the caller's pinned one: 32 bytes (RFC 8032)
 * @throws YaoError `grant_invalid`; `invalid_request` for a path that no call has
 */
export async function checkCallToken(
  call: Call,
  authorization: string | null,
  publicKey: Uint8Array,
  nowMs: number,
): Promise<void> {
  const token = readToken(authorization ?? '');
  const current =
    token &&
    token.issuedAtMs <= nowMs + LIMITS.clockSkewMs &&
    nowMs <= token.issuedAtMs + LIMITS.callTokenLifeMs + LIMITS.clockSkewMs;
  if (current && (await verify('ed25519', publicKey, statementOf(call, token.issuedAtMs), token.signature))) return;
  throw new YaoError('grant_invalid', `${call.path} takes calls with a token of ${call.caller} for ${call.audience} only`);
}

function readToken(authorization: string): CallToken | undefined {
  if (!authorization.startsWith(SCHEME) || authorization.length > SCHEME.length + LONGEST_TOKEN) return undefined;
  try {
    return CallToken.decode(fromBase64Url(authorization.slice(SCHEME.length)));
  } catch {
    return undefined;
  }
}
