import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes, toBase64Url, utf8, YaoError } from '@streaming-yao/core';
import { type Assertion, challengeOf, statementDigest } from '@streaming-yao/wire';

/** Which passkeys a deployment takes: configuration of each role by itself. */
export interface PasskeyRules {
  /** Relying party id: the domain that the passkeys belong to. */
  readonly rpId: string;
  /** Where the user may be asked, for example `https://wallet.example`. */
  readonly origins: readonly string[];
}

/** Flags of the authenticator data (WebAuthn section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED_CREDENTIAL = 0x40;
const EXTENSIONS = 0x80;
const RP_ID_HASH_BYTES = 32;
const FIXED_BYTES = 37;

/**
 * Checks all of a passkey's answer but its signature: WebAuthn section 7.2, steps 11 to 17. The signature counter is not used;
 * passkeys that travel between devices have none.
 * @returns what the signature must cover, and the signature as r and s (64 bytes)
 * @throws YaoError `authorization_invalid`
 */
export function checkAssertion(
  rules: PasskeyRules | undefined,
  statement: Uint8Array,
  assertion: Assertion,
): { readonly message: Uint8Array; readonly signature: Uint8Array } {
  if (!rules) throw refused('this deployment takes no passkeys');
  checkClientData(rules, challengeFor(statement, assertion.batch), assertion.clientDataJson);
  checkAuthenticatorData(rules, assertion.authenticatorData);
  const message = concatBytes(assertion.authenticatorData, sha256(assertion.clientDataJson));
  return { message, signature: rawSignature(assertion.signature) };
}

function refused(why: string): YaoError {
  return new YaoError('authorization_invalid', why, { party: 'client' });
}

function challengeFor(statement: Uint8Array, batch: readonly Uint8Array[]): Uint8Array {
  const own = statementDigest(statement);
  if (batch.length === 0) return own;
  if (batch.length === 1 || !batch.some((digest) => equalBytes(digest, own))) {
    throw refused('the passkey was not asked for this statement');
  }
  return challengeOf(batch);
}

function checkClientData({ origins }: PasskeyRules, challenge: Uint8Array, clientDataJson: Uint8Array): void {
  const data = parseClientData(clientDataJson);
  if (data.type !== 'webauthn.get') throw refused('the passkey’s answer is not an assertion');
  if (data.challenge !== toBase64Url(challenge)) throw refused('the passkey was asked for another statement');
  if (typeof data.origin !== 'string' || !origins.includes(data.origin)) {
    throw refused('the passkey was asked by an origin that this deployment does not know');
  }
  // A page of the right origin inside a frame of another one: the user cannot see whom they answer.
  const framed = (data.crossOrigin !== undefined && data.crossOrigin !== false) || data.topOrigin !== undefined;
  if (framed) throw refused('the passkey was asked inside a foreign page');
}

function parseClientData(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof data === 'object' && data !== null) return data as Record<string, unknown>;
  } catch {
    // Refused like any other text that is not client data.
  }
  throw refused('the passkey’s client data are not JSON');
}

function checkAuthenticatorData({ rpId }: PasskeyRules, data: Uint8Array): void {
  if (!equalBytes(data.subarray(0, RP_ID_HASH_BYTES), sha256(utf8(rpId)))) {
    throw refused(`this deployment takes passkeys of ${rpId} only`);
  }
  const flags = data[RP_ID_HASH_BYTES] ?? 0;
  if (!(flags & USER_PRESENT) || !(flags & USER_VERIFIED)) {
    throw refused('the authenticator did not verify its user; unlock it with its PIN or biometrics');
  }
  if (flags & BACKED_UP && !(flags & BACKUP_ELIGIBLE))
    throw refused('the authenticator says that what cannot travel has travelled');
  const extended = (flags & EXTENSIONS) !== 0;
  if (flags & ATTESTED_CREDENTIAL || extended !== data.length > FIXED_BYTES) {
    throw refused('the authenticator data of an assertion hold nothing but extensions beyond their fixed part');
  }
}

/** Bytes of r and of s. */
const INTEGER_BYTES = 32;

/** Turns a DER-encoded ECDSA signature over P-256 (RFC 3279 section 2.2.3) into r and s. */
export function rawSignature(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(2 * INTEGER_BYTES);
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw refused('the passkey’s signature is not DER');
  const end = takeInteger(der, takeInteger(der, 2, raw.subarray(0, INTEGER_BYTES)), raw.subarray(INTEGER_BYTES));
  if (end !== der.length) throw refused('the passkey’s signature is not DER');
  return raw;
}

/** Reads the positive, shortest-form integer at `at` into `target`, right-aligned. @returns where the next element begins */
function takeInteger(der: Uint8Array, at: number, target: Uint8Array): number {
  const length = der[at + 1] ?? 0;
  const start = at + 2;
  const [first = 0x80, second = 0] = der.subarray(start, start + length);
  const padded = first === 0 && length > 1;
  const shortest = !padded || (second & 0x80) !== 0;
  const digits = padded ? length - 1 : length;
  const fits = der[at] === 0x02 && length > 0 && start + length <= der.length && digits <= INTEGER_BYTES;
  if (!fits || (first & 0x80) !== 0 || !shortest) throw refused('the passkey’s signature is not DER');
  target.set(der.subarray(start + length - digits, start + length), INTEGER_BYTES - digits);
  return start + length;
}
