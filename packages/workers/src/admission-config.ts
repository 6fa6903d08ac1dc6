import { type AdmissionRules, type Concern, type Rate, WAYS } from '@streaming-yao/ceremony/role';
import { YaoError } from '@streaming-yao/core';
import { OPERATIONS } from '@streaming-yao/wire';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** An app whose backend vouches for its users. */
export interface App {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
}

/** Whom a Router lets in, and which pages may ask it from elsewhere. */
export interface Admission {
  readonly rules: AdmissionRules;
  readonly apps: readonly App[];
  /** How much the clocks of apps' backends may differ. */
  readonly clockToleranceMs: number;
  /** Origins of pages that may ask the Router from another origin. */
  readonly origins: readonly string[];
}

const STANDARD_TOLERANCE_MS = 60_000;
const LARGEST_TOLERANCE_MS = 300_000;
const LARGEST_WINDOW_MS = 86_400_000;
const MOST_APPS = 16;
const CONCERNS: readonly Concern[] = [...OPERATIONS, 'manage', 'read', 'sign'];
const COUNTED = ['wallet', 'address', 'identity'] as const;

function refuse(why: string): never {
  throw new YaoError('config_invalid', `router: ADMISSION ${why}`, { party: 'operator' });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, what: string, known: readonly string[]): Fields {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(`has ${what} that is no object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  return unknown === undefined ? (value as Fields) : refuse(`has an unknown ${what} "${unknown}"; known are ${known.join(', ')}`);
}

function wholeNumber(value: unknown, what: string, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  return refuse(`needs a whole number from 1 to ${most} as ${what}`);
}

/**
 * Reads `ADMISSION`, JSON; absent where anybody may do anything that they are authorized to, unlimited:
 * ```json
 * {
 *   "accept": { "register": ["passkey", "app-token"] },
 *   "apps": [{ "issuer": "https://app.example", "audience": "streaming-yao", "jwks": { "keys": [] } }],
 *   "clockToleranceMs": 60000,
 *   "limits": { "register": { "address": { "count": 10, "windowMs": 60000 } } },
 *   "origins": ["https://app.example"]
 * }
 * ```
 * @throws YaoError `config_invalid`
 */
export function readAdmission(text: unknown): Admission {
  let read: unknown = {};
  try {
    if (text !== undefined) read = JSON.parse(String(text));
  } catch {
    return refuse('is not JSON');
  }
  const fields = fieldsOf(read, 'field', ['accept', 'apps', 'clockToleranceMs', 'limits', 'origins']);
  const apps = readApps(fields.apps);
  const accept = readAccept(fields.accept);
  const vouched = Object.values(accept).some((ways) => ways?.includes('app-token'));
  if (vouched && apps.length === 0) refuse('accepts app tokens and names no app');
  return {
    rules: { accept, limits: readLimits(fields.limits) },
    apps,
    clockToleranceMs: readTolerance(fields.clockToleranceMs),
    origins: readOrigins(fields.origins),
  };
}

function readTolerance(value: unknown): number {
  if (value === undefined) return STANDARD_TOLERANCE_MS;
  return value === 0 ? 0 : wholeNumber(value, 'clockToleranceMs', LARGEST_TOLERANCE_MS);
}

function readAccept(value: unknown): AdmissionRules['accept'] {
  const accept = fieldsOf(value, 'operation', OPERATIONS);
  for (const [operation, ways] of Object.entries(accept)) {
    const known = Array.isArray(ways) && ways.length > 0 && ways.every((way) => WAYS.includes(way));
    if (!known) refuse(`accepts for ${operation} something else than a list of ${WAYS.join(', ')}`);
  }
  return accept as AdmissionRules['accept'];
}

function readLimits(value: unknown): AdmissionRules['limits'] {
  const limits = Object.entries(fieldsOf(value, 'limit', CONCERNS)).map(([concern, rates]) => {
    const read = Object.entries(fieldsOf(rates, `limit of ${concern}`, COUNTED)).map(([counted, rate]) => {
      if (counted === 'wallet' && !OPERATIONS.some((operation) => operation === concern)) {
        refuse(`limits ${concern} by wallet; only ceremonies are, and signing by the setting signsPerMinute`);
      }
      return [counted, readRate(rate, `${concern} by ${counted}`)] as const;
    });
    return [concern, Object.fromEntries(read)] as const;
  });
  return Object.fromEntries(limits);
}

function readRate(value: unknown, what: string): Rate {
  const { count, windowMs } = fieldsOf(value, `limit of ${what}`, ['count', 'windowMs']);
  return {
    count: wholeNumber(count, `count of ${what}`, 1_000_000),
    windowMs: wholeNumber(windowMs, `windowMs of ${what}`, LARGEST_WINDOW_MS),
  };
}

function readApps(value: unknown): readonly App[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST_APPS) return refuse(`has apps that are no list of at most ${MOST_APPS}`);
  return value.map((each) => {
    const { issuer, audience, jwks } = fieldsOf(each, 'field of an app', ['issuer', 'audience', 'jwks']);
    if (typeof issuer !== 'string' || typeof audience !== 'string') return refuse('has an app without issuer or audience');
    try {
      return { issuer, audience, keys: createLocalJWKSet(jwks as JSONWebKeySet) };
    } catch {
      return refuse(`has an app ${issuer} whose jwks is no JSON Web Key Set`);
    }
  });
}

function readOrigins(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const exact = (origin: unknown): origin is string =>
    typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin;
  return Array.isArray(value) && value.every(exact)
    ? value
    : refuse('has origins that are no list of origins like https://app.example');
}
